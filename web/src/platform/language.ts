import { takeOtherVersion } from './service-worker.js'
import { TAKE_OVER_MS } from './worker-times.js'

/** Language of this build of the app */
export const LANGUAGE = document.documentElement.lang

/** Languages of the app, which the service writes into the page */
export const LANGUAGES = (document.querySelector<HTMLMetaElement>('meta[name=languages]')?.content ?? LANGUAGE).split(
  ' ',
)

const YEAR_S = 365 * 24 * 60 * 60
/** Ends the value of a cookie that repeats the setting of an account, which a logout deletes */
const OF_ACCOUNT = '.account'

/**
 * Keeps the language in this browser and opens the page in it. The service reads the cookie, because it sends the page
 * before it knows the user.
 * @param language null: the one that the browser asks for
 * @param isOfAccount whether it is the setting of the account, not a choice for this browser
 */
export async function openInLanguage(language: string | null, isOfAccount = false): Promise<void> {
  writeCookie(language === null ? null : `${language}${isOfAccount ? OF_ACCOUNT : ''}`)
  await takeOtherVersion()
  location.reload()
}

function writeCookie(value: string | null): void {
  const path = new URL(document.baseURI).pathname
  const secure = location.protocol === 'https:' ? '; secure' : ''
  // biome-ignore lint/suspicious/noDocumentCookie: `cookieStore` exists in secure contexts only
  document.cookie = `language=${value ?? ''}; path=${path}; samesite=lax; max-age=${value === null ? 0 : YEAR_S}${secure}`
}

/** Returns the language that was chosen in this browser. */
export function chosenLanguage(): string | undefined {
  return /(?:^|; )language=([a-z]+)/.exec(document.cookie)?.[1]
}

/** Returns whether the language of this browser repeats the setting of an account. */
export function isLanguageOfAccount(): boolean {
  return /(?:^|; )language=[a-z]+\.account/.test(document.cookie)
}

/**
 * Forgets the language of the account after a logout, so that the next person is not addressed in it. Waits ten seconds
 * at most, because a slow line may take longer to fetch the app in the other language.
 */
export async function leaveLanguage(): Promise<void> {
  writeCookie(null)
  const limit = new Promise((resolve) => setTimeout(resolve, TAKE_OVER_MS))
  await Promise.race([takeOtherVersion(), limit]).catch(() => {})
}
