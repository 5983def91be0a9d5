/** Scripts that are written from right to left */
const RIGHT_TO_LEFT = new Set(['Adlm', 'Arab', 'Hebr', 'Nkoo', 'Rohg', 'Syrc', 'Thaa'])

/**
 * Returns the name of a language in that language, with a capital first letter.
 * @example languageName('fr') // 'Français'
 */
export function languageName(lang: string): string {
  const name = new Intl.DisplayNames([lang], { type: 'language' }).of(lang) ?? lang
  return name.charAt(0).toLocaleUpperCase(lang) + name.slice(1)
}

/**
 * Returns the writing direction of a language.
 * @example directionOf('ar') // 'rtl'
 */
function directionOf(lang: string): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.has(new Intl.Locale(lang).maximize().script ?? '') ? 'rtl' : 'ltr'
}

/**
 * Returns the attributes of an element whose content has this language. A copy that an earlier version has cached has no
 * language.
 * @example inLanguage('ar') // { lang: 'ar', dir: 'rtl' }
 */
export function inLanguage(lang: string | undefined): { lang?: string; dir?: 'ltr' | 'rtl' } {
  return lang === undefined ? {} : { lang, dir: directionOf(lang) }
}
