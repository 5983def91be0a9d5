import { loadOtherVersion } from './service-worker.js'

/** Language of this build of the app */
export const LANGUAGE = document.documentElement.lang

/** Languages of the app, which the service writes into the page */
export const LANGUAGES = (document.querySelector<HTMLMetaElement>('meta[name=languages]')?.content ?? LANGUAGE).split(
  ' ',
)

const YEAR_S = 365 * 24 * 60 * 60

/** Returns the name of a language in that language. @example languageName('de') // 'Deutsch' */
export function languageName(language: string): string {
  return new Intl.DisplayNames(language, { type: 'language' }).of(language) ?? language
}

/**
 * Keeps the language in this browser and opens the page in it. The service reads the cookie, because it sends the page
 * before it knows the user.
 * @param language null: the one that the browser asks for
 */
export async function openInLanguage(language: string | null): Promise<void> {
  const path = new URL(document.baseURI).pathname
  const secure = location.protocol === 'https:' ? '; secure' : ''
  // biome-ignore lint/suspicious/noDocumentCookie: `cookieStore` exists in secure contexts only
  document.cookie = `language=${language ?? ''}; path=${path}; samesite=lax; max-age=${language === null ? 0 : YEAR_S}${secure}`
  await loadOtherVersion()
}

/** Returns the language that was chosen in this browser. */
export function chosenLanguage(): string | undefined {
  return /(?:^|; )language=([a-z]+)/.exec(document.cookie)?.[1]
}
