import { queryOptions } from '@tanstack/svelte-query'
import { api, connectClient } from '../api/client.js'
import { Fault, Refused } from '../api/faults.js'
import { isLate } from '../api/late-response.js'
import { queryClient } from '../api/query-client.js'
import type { ResponseBody, Roles, User } from '../api/types.js'
import {
  chosenLanguage,
  isLanguageOfAccount,
  LANGUAGE,
  LANGUAGES,
  leaveLanguage,
  openInLanguage,
} from '../platform/language.js'
import { isPublic } from '../platform/public-pages.js'
import { forgetUser, onOtherTab, rememberedUser, rememberUser } from '../platform/remembered-user.js'
import { place } from '../platform/router.svelte.js'
import { hasReturnedFromProvider, removeUserKeys } from '../platform/storage.js'
import { withSendLock } from '../storage/send-lock.js'
import { providerUrl } from './provider.js'

/** The user as stored in this browser. Older versions of the app stored no `roles`. */
type Person = User & { roles?: Roles | undefined }

/**
 * `unknown`: the user is not loaded yet, or could not be loaded; `anonymous`: the login page is shown; `password`: the
 * user must set a new password first; `ready`: the app is shown
 */
type Status = 'unknown' | 'anonymous' | 'password' | 'ready'

interface AccountState {
  status: Status
  user: Person | undefined
  fault: unknown
  /** The open dialog; `recent login` asks the user to prove their identity again */
  dialog: 'login' | 'recent login' | undefined
}

type AccountResponse = ResponseBody<'/api/auth/login', 'post'>

export const account = $state<AccountState>({
  status: 'unknown',
  user: undefined,
  fault: undefined,
  dialog: undefined,
})

const ROLES_MS = 60_000
/** Error code of the service for a session that the identity provider must confirm */
const PROVIDER_FIRST = 'provider_login_needed'

let resolveDialog: ((isBack: boolean) => void) | undefined
let dialogResult: Promise<boolean> | undefined

/**
 * Opens the login dialog, or switches the open dialog to `why`. Resolves to true when the user completes the dialog, so
 * that the caller can repeat its request. Resolves to false if the user closes the dialog or no user is known, or if
 * the dialog cannot be loaded.
 */
function openLoginDialog(why: 'login' | 'recent login'): Promise<boolean> {
  if (account.user === undefined) return Promise.resolve(false)
  account.dialog = why
  dialogResult ??= new Promise<boolean>((resolve) => {
    resolveDialog = resolve
  }).finally(() => {
    dialogResult = undefined
    account.dialog = undefined
  })
  return dialogResult
}

/**
 * Called with the user's id when the app opens, and again whenever the account is reloaded; `isConfirmed` is false while
 * the service has not confirmed that the user is logged in.
 */
let onEnter: (userId: number, isConfirmed: boolean) => void = () => {}

export async function startAccount(enterApp: typeof onEnter): Promise<void> {
  onEnter = enterApp
  connectClient({
    logIn: openLoginDialog,
    newPassword() {
      if (account.status === 'ready') void refreshAccount().catch(() => {})
    },
  })
  // Reloads the page when another tab logs out or logs in as a different user, to keep the data of two users apart.
  onOtherTab((user) => {
    if (account.user !== undefined && user?.id !== account.user.id) location.reload()
  })
  await findAccount()
}

/**
 * Loads the user. If the response is late, or the request fails with an error other than 401, opens the app for the
 * last user of this browser, if any.
 */
export async function findAccount(): Promise<void> {
  account.fault = undefined
  const last = rememberedUser<Person>()
  const request = api.get('/api/auth/me')
  try {
    // After a return from the identity provider, another user may be logged in, so the app waits for the response.
    if (last !== undefined && !hasReturnedFromProvider() && (await isLate(request))) enterAs(last)
    const response = await request
    // A login through the identity provider changes the user without a call of `enter`.
    if (last !== undefined && last.id !== response.user.id) {
      await deleteUserData()
      // The app is already open for the last user.
      if (account.user !== undefined) return location.reload()
    }
    if (hasReturnedFromProvider()) {
      const { user, sign_in } = response
      await import('./draft.js').then(({ findDraft }) => findDraft(user.id, sign_in.is_fresh)).catch(() => {})
    }
    const isOpen = account.user !== undefined
    accept(response)
    if (!isOpen && (chosenLanguage() === undefined || isLanguageOfAccount())) followLanguage()
  } catch (error) {
    if (account.status === 'ready') return
    if (error instanceof Refused && error.status === 401) {
      // After a refusal by the provider, the login page shows the reason instead of starting again. Public pages need
      // no login.
      const mayLeave = !place.query.has('fehler') && !isPublic(place.path)
      if (error.code === PROVIDER_FIRST && mayLeave) return location.assign(providerUrl())
      account.status = 'anonymous'
      return
    }
    if (last === undefined || hasReturnedFromProvider() || !(error instanceof Fault)) {
      account.fault = error
      return
    }
    enterAs(last)
  }
}

/** Opens the app in the language of the account, if it is another one. This loads the page again, so no page may be open yet. */
function followLanguage(): void {
  if (LANGUAGES.length === 1 || account.status !== 'ready') return
  api
    .get('/api/accounts/me')
    .then(({ language }) => {
      // The setting was removed on another device, or is that of the last user.
      if (language === null) return isLanguageOfAccount() ? openInLanguage(null) : undefined
      const isOther = ![LANGUAGE, chosenLanguage()].includes(language)
      return isOther && LANGUAGES.includes(language) ? openInLanguage(language, true) : undefined
    })
    // The app stays in its language.
    .catch(() => {})
}

function enterAs(user: Person, isConfirmed = false): void {
  account.user = user
  account.status = 'ready'
  onEnter(user.id, isConfirmed)
}

/** Password of the last login, kept in memory to pre-fill the form for a required new password */
let typedPassword = ''
export const lastTypedPassword = () => typedPassword

/**
 * Logs in with user name and password.
 * @throws Fault with a German message if the request fails
 */
export async function logIn(username: string, password: string): Promise<void> {
  typedPassword = password
  try {
    await enter(() => api.post('/api/auth/login', { body: { username, password }, asksLogin: false }))
  } catch (error) {
    typedPassword = ''
    throw error
  }
}

/**
 * Confirms the login with the password.
 * @throws Fault with a German message if the request fails
 */
export async function proveByPassword(password: string): Promise<void> {
  await withSendLock(() => api.post('/api/auth/confirm', { body: { password }, asksLogin: false }))
  resolveDialog?.(true)
}

/**
 * Logs in with the given request, or confirms the login in a session of the same user.
 * @throws Fault if the request fails
 */
export async function enter(request: () => Promise<ResponseBody<'/api/auth/login', 'post'>>): Promise<void> {
  const isOpen = account.user !== undefined
  // Holds the lock of the outbox, so that no page sends ratings of one user while another user logs in.
  const response = await withSendLock(async () => {
    const found = await request()
    // If a different user has logged in, the cached data of the previous user is deleted, even if the session of the
    // previous user expired long ago.
    const last = account.user ?? rememberedUser<User>()
    if (last !== undefined && last.id !== found.user.id) await deleteUserData()
    rememberUser(found.user)
    return found
  })
  if (account.user !== undefined && account.user.id !== response.user.id) {
    location.assign(document.baseURI)
    return
  }
  accept(response)
  resolveDialog?.(true)
  if (!isOpen) followLanguage()
}

/** Closes the login dialog. The requests that wait for the login then fail with the error of the service. */
export function declineLogin(): void {
  resolveDialog?.(false)
}

export async function logOut(): Promise<void> {
  const { redirect } = await withSendLock(async () => {
    const response = await api.post('/api/auth/oidc/logout')
    forgetUser()
    return response
  })
  await deleteUserData()
  // `redirect` is the logout page of the identity provider, where the user may still be logged in.
  const leave = () => location.assign(redirect ?? document.baseURI)
  if (!isLanguageOfAccount()) return leave()
  // Hides the app while that of the other language is loaded.
  account.status = 'unknown'
  account.user = undefined
  await leaveLanguage()
  leave()
}

export async function refreshAccount(): Promise<void> {
  accept(await api.get('/api/auth/me'))
}

/** Asks again for the roles of the user, who may have a first task since: on each use, and each minute in front */
export const rolesQuery = () =>
  queryOptions({
    queryKey: ['account', 'roles'],
    queryFn: async () => {
      const response = await api.get('/api/auth/me')
      if (response.user.id === account.user?.id) accept(response)
      return response.roles ?? null
    },
    staleTime: ROLES_MS / 10,
    refetchInterval: ROLES_MS,
    retry: false,
  })

function accept({ user: found, must_change_password, roles }: AccountResponse): void {
  queryClient.setQueryData(rolesQuery().queryKey, roles ?? null)
  const user = { ...found, roles }
  if (!must_change_password) typedPassword = ''
  rememberUser(user)
  if (must_change_password) {
    account.user = user
    account.status = 'password'
  } else enterAs(user, true)
}

/**
 * Returns whether the user may write content; for a stored user without `roles`, whether the user is an administrator.
 */
export const isAuthor = () => account.user?.roles?.author ?? account.user?.is_admin

/** Forgets the user and deletes the cached content, but not the unsent ratings. */
async function deleteUserData(): Promise<void> {
  forgetUser()
  removeUserKeys()
  queryClient.clear()
  // If this chunk cannot be loaded, the content is deleted when the app opens for the next user.
  await import('../storage/kept.js').then(({ deleteCachedContent }) => deleteCachedContent()).catch(() => {})
}
