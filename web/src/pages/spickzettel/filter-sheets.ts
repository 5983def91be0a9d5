import type { ResponseBody } from '../../api/types.js'
import { LOCALE } from '../../words/locale.js'

export type SheetEntry = Pick<ResponseBody<'/api/cheatsheets'>['cheatsheets'][number], 'slug' | 'title' | 'category'>

export interface Category<T> {
  name: string
  sheets: T[]
}

const ORDER = new Intl.Collator(LOCALE, { numeric: true })

/**
 * Folds case, accents and Unicode normalisation form for comparison.
 * @example fold('Éclair') // 'eclair'
 */
export function fold(text: string): string {
  return text.toLowerCase().normalize('NFKD').replaceAll(/\p{M}/gu, '')
}

/**
 * Returns the sheets whose title, category and slug together contain every word of the text, sorted by title. Returns
 * only sheets of the given category, or of all categories if `category` is empty.
 */
export function filterSheets<T extends SheetEntry>(sheets: readonly T[], text: string, category = ''): T[] {
  const words = fold(text).split(/\s+/).filter(Boolean)
  return sheets
    .filter((sheet) => category === '' || sheet.category === category)
    .filter((sheet) => {
      const said = fold(`${sheet.title} ${sheet.category} ${sheet.slug}`)
      return words.every((word) => said.includes(word))
    })
    .sort((a, b) => ORDER.compare(a.title, b.title))
}

/** Groups sheets by category. Sorts the categories alphabetically; the sheets of a category keep their order. */
export function groupByCategory<T extends SheetEntry>(sheets: readonly T[]): Category<T>[] {
  const groups = new Map<string, T[]>()
  for (const sheet of sheets) {
    const group = groups.get(sheet.category)
    if (group === undefined) groups.set(sheet.category, [sheet])
    else group.push(sheet)
  }
  return [...groups].map(([name, of]) => ({ name, sheets: of })).sort((a, b) => ORDER.compare(a.name, b.name))
}

/**
 * Removes a first heading that repeats the title, which the page shows already.
 * @example withoutTitle('# Git\nText', 'Git') // 'Text'
 */
export function withoutTitle(source: string, title: string): string {
  const [, heading, rest] = /^\s*#[ \t]+(.*?)[ \t]*#*[ \t]*(?:\r?\n|$)([\s\S]*)$/.exec(source) ?? []
  return heading !== undefined && fold(heading) === fold(title) ? (rest ?? '') : source
}

const CODE = /^(`{3,}|~{3,})[\s\S]*?^\1/gm

/** Returns whether the Markdown of a sheet has enough headings for a table of contents. */
export function hasContents(content: string): boolean {
  return (content.replaceAll(CODE, '').match(/^#{2,3} /gm)?.length ?? 0) >= 3
}
