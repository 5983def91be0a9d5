/** The number of Unicode code points. */
export function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/** The first `limit` code points, with `...` behind them when there were more. */
export function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text
  let end = 0
  let count = 0
  for (const character of text) {
    if (count === limit) return `${text.slice(0, end)}...`
    count++
    end += character.length
  }
  return text
}

/** Whether PostgreSQL can hold the text: it knows neither the NUL character nor lone surrogates. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

/** The text with `\ufffd` in place of what PostgreSQL cannot hold. */
export function toStorable(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed()
}
