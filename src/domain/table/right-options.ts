/**
 * Splits the options of a row of a quiz table into right and wrong ones. `correct` names the right ones by number from
 * 1, by letter, or by their text. The columns count, also those whose cell is empty.
 * @param mayBeAnother whether `correct` may be an answer that is none of the options
 * @example findOptions(['rot', 'grün'], 'B') // { right: ['grün'], wrong: ['rot'] }
 */
export function findOptions(
  cells: readonly string[],
  correct: string,
  mayBeAnother = false,
): { right: string[]; wrong: string[] } | { fault: string } {
  if (correct === '') return { fault: 'Die richtige Antwort fehlt' }
  const places = placesOf(cells, correct)
  if (places === undefined && mayBeAnother && !REFERENCE.test(correct)) {
    return { right: [correct], wrong: cells.filter((text) => text !== '') }
  }
  if (places === undefined) return { fault: `Die richtige Antwort „${shorten(correct)}“ ist keine der Möglichkeiten` }
  const pick = (isRight: boolean) => cells.filter((text, place) => text !== '' && places.has(place) === isRight)
  return { right: pick(true), wrong: pick(false) }
}

function placesOf(cells: readonly string[], correct: string): Set<number> | undefined {
  const same = cells.findIndex((text) => text !== '' && text === correct)
  if (same >= 0) return new Set([same])
  const parts = /^[a-j]{2,10}$/i.test(correct) ? [...correct] : correct.split(/[,;/|\n]|\bund\b|\band\b/)
  const places = new Set<number>()
  for (const part of parts.map((text) => text.trim()).filter((text) => text !== '')) {
    const place = placeOf(cells, part)
    if (place === undefined || (cells[place] ?? '') === '') return undefined
    places.add(place)
  }
  return places.size > 0 ? places : undefined
}

function placeOf(cells: readonly string[], part: string): number | undefined {
  const same = cells.indexOf(part)
  if (same >= 0) return same
  const { number, letter } = /^(?:(?<number>\d{1,2})|(?<letter>[a-j]))[.)]?$/i.exec(part)?.groups ?? {}
  if (number !== undefined) return Number(number) - 1
  return letter === undefined ? undefined : letter.toLowerCase().charCodeAt(0) - 'a'.charCodeAt(0)
}

/** A number or letter that names an option */
const REFERENCE = /^(?:\d{1,2}|[a-j])[.)]?$/i

const SHOWN = 60
const shorten = (text: string) => (text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text)
