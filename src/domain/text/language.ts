/** Languages of what the service writes for persons; content may have any other language */
export const LANGUAGES = ['de', 'en'] as const

export type Language = (typeof LANGUAGES)[number]

/** Where the language of a reader comes from. */
export interface Reader {
  /** Setting of the account; null or undefined without one */
  setting: Language | null | undefined
  /** The language chosen in this browser, if any, before those of `Accept-Language`; in the form of that header */
  accepted: string | undefined
}

/** Columns of a user */
export interface LanguageOfUser {
  /** Setting of the account */
  language: Language | null
  /** Language in which the user last used the app */
  language_used: Language | null
}

/** Maximum number of languages that are read from `Accept-Language` */
const MAX_ACCEPTED = 20
const RANGE = /^\s*([a-z]{2,3}(?:-[a-z0-9]{1,8})*)\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?$/i

/**
 * Returns the languages that a reader understands (BCP 47, in any case), best first. Without any, the original of a
 * group is shown.
 * @example readerLanguages({ setting: 'en', accepted: 'tr, de;q=0.5' }) // ['en', 'tr', 'de']
 */
export function readerLanguages({ setting, accepted }: Reader): string[] {
  return [...new Set([...(setting ? [setting] : []), ...parseAcceptLanguage(accepted)])]
}

/**
 * Returns the language in which the app speaks to a reader; undefined if the reader names none of its languages.
 * @example findAppLanguage({ setting: null, accepted: 'tr, en-GB;q=0.8, de;q=0.5' }) // 'en'
 */
export function findAppLanguage({ setting, accepted }: Reader): Language | undefined {
  if (setting) return setting
  const wanted = parseAcceptLanguage(accepted).map(primaryOf)
  return wanted.flatMap((tag) => LANGUAGES.find((language) => language === tag) ?? [])[0]
}

/**
 * Returns the language of what the service sends to a user: the setting of the account, else the language last used in
 * the app, else that of the service.
 * @example languageOf({ language: null, language_used: 'en' }, 'de') // 'en'
 */
export function languageOf({ language, language_used }: LanguageOfUser, fallback: Language): Language {
  return language ?? language_used ?? fallback
}

/** Returns the languages of a reader who has chosen one for a group; null without a choice. */
export function withChosen(languages: readonly string[], chosen: string | null): readonly string[] {
  return chosen === null ? languages : [chosen, ...languages]
}

/**
 * Returns the item of a group for a reader: for the first possible language the one with the same tag, else one with
 * the same primary subtag; the original if the group has none of the languages.
 * @param languages languages of the reader, best first
 * @example pickVariant([{ lang: 'de' }, { lang: 'en-GB' }], ['tr', 'en']).lang // 'en-GB'
 */
export function pickVariant<Item extends { lang: string }>(
  [original, ...variants]: readonly [Item, ...Item[]],
  languages: readonly string[],
): Item {
  const items = [original, ...variants]
  for (const language of languages) {
    const found =
      items.find(({ lang }) => lang.toLowerCase() === language.toLowerCase()) ??
      items.find(({ lang }) => primaryOf(lang) === primaryOf(language))
    if (found !== undefined) return found
  }
  return original
}

/** Returns the languages of the header, best first. Skips `*` and what is malformed or has the quality 0. */
function parseAcceptLanguage(header = ''): string[] {
  const ranges = header.split(',', MAX_ACCEPTED).flatMap((range) => {
    const [, tag, quality = '1'] = RANGE.exec(range) ?? []
    return tag !== undefined && Number(quality) > 0 ? [{ tag, quality: Number(quality) }] : []
  })
  return ranges.sort((a, b) => b.quality - a.quality).map(({ tag }) => tag)
}

function primaryOf(tag: string): string {
  return (tag.split('-', 1)[0] ?? '').toLowerCase()
}
