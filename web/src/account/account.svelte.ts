import { type Answer, api, connectClient } from '../api/client.js'
import { Fault, Refused } from '../api/faults.js'
import { isLate } from '../api/patience.js'
import { queryClient } from '../api/query-client.js'
import type { Roles, User } from '../api/types.js'
import { forgetUser, onOtherTab, rememberedUser, rememberUser } from '../platform/remembered-user.js'
import { hasReturnedFromProvider, removeOwn } from '../platform/storage.js'
import { withSendLock } from '../storage/send-lock.js'

/** The user as stored by this browser. Copies that older versions have stored lack `roles`. */
type Person = User & { roles?: Roles | undefined }

/**
 * `unknown`: the user is not loaded yet, or could not be loaded; `anonymous`: the login page is shown; `password`: the
 * user must set a new password first; `ready`: the app is shown
 */
type Status = 'unknown' | 'anonymous' | 'password' | 'ready'

interface AccountState {
  status: Status
  user: Person | undefined
  /** Error that prevented loading the user */
  fault: unknown
  /** Purpose of the open dialog: a new login or a renewed proof of identity; undefined if no dialog is open */
  asked: 'login' | 'proof' | undefined
}

interface Answered {
  user: User
  must_change_password: boolean
  roles?: Roles
}

export const account = $state<AccountState>({
  status: 'unknown',
  user: undefined,
  fault: undefined,
  asked: undefined,
})

let answerAsked: ((isBack: boolean) => void) | undefined
let asked: Promise<boolean> | undefined

/**
 * Opens the login dialog, which concurrent requests share; switches an open dialog to `why`. Resolves to true if the
 * request can be repeated, to false if the user has closed the dialog or no user is known.
 */
function ask(why: 'login' | 'proof'): Promise<boolean> {
  if (account.user === undefined) return Promise.resolve(false)
  account.asked = why
  asked ??= new Promise<boolean>((resolve) => {
    answerAsked = resolve
  }).finally(() => {
    asked = undefined
    account.asked = undefined
  })
  return asked
}

/** Called with the user's id at each login, and when the app opens for a user. */
let onEnter: (userId: number) => void = () => {}

/** Connects the account with the API client and other tabs, and loads the user. */
export async function startAccount(enterApp: typeof onEnter): Promise<void> {
  onEnter = enterApp
  connectClient({
    logIn: ask,
    // The service requires a new password, for example after an administrator has reset the old one.
    newPassword() {
      if (account.status === 'ready') void refreshAccount().catch(() => {})
    },
  })
  // Another tab has logged out, or logged in as a different user, whose data must not mix with that of this page.
  onOtherTab((user) => {
    if (account.user !== undefined && user?.id !== account.user.id) location.reload()
  })
  await findAccount()
}

/**
 * Loads the logged-in user from the service. If the response is late, or the request fails with an error other than a
 * 401, opens the app for the last user of this browser.
 */
export async function findAccount(): Promise<void> {
  account.fault = undefined
  const last = rememberedUser<Person>()
  const asked = api.get('/api/auth/me')
  try {
    // After a return from the identity provider, the user may be a different one, so the app waits for the response.
    if (last !== undefined && !hasReturnedFromProvider() && (await isLate(asked))) enterAs(last)
    const answer = await asked
    // A login through the identity provider changes the user without a call of `enter`.
    if (last !== undefined && last.id !== answer.user.id) {
      await forget()
      // The app is already open for the last user.
      if (account.user !== undefined) return location.reload()
    }
    if (hasReturnedFromProvider()) {
      const { user, sign_in } = answer
      await import('./draft.js').then(({ findDraft }) => findDraft(user.id, sign_in.is_fresh)).catch(() => {})
    }
    accept(answer)
  } catch (error) {
    if (account.status === 'ready') return
    if (error instanceof Refused && error.status === 401) {
      account.status = 'anonymous'
      return
    }
    if (last === undefined || !(error instanceof Fault)) {
      account.fault = error
      return
    }
    enterAs(last)
  }
}

/** Opens the app for the user, possibly before the service has responded. */
function enterAs(user: Person): void {
  account.user = user
  account.status = 'ready'
  onEnter(user.id)
}

/** Password of the last login, kept in memory to pre-fill the form for a required new password */
let justTyped = ''
export const passwordJustTyped = () => justTyped

/** @throws Fault with a German message if the request fails */
export async function logIn(username: string, password: string): Promise<void> {
  justTyped = password
  try {
    await enter(() => api.post('/api/auth/login', { body: { username, password } }))
  } catch (error) {
    justTyped = ''
    throw error
  }
}

/**
 * Renews the proof of identity with the password.
 * @throws Fault with a German message if the request fails
 */
export async function proveByPassword(password: string): Promise<void> {
  await withSendLock(() => api.post('/api/auth/confirm', { body: { password } }))
  answerAsked?.(true)
}

/**
 * Logs in with the given request, or renews the proof of identity in a session of the same user.
 * @throws Fault if the request fails
 */
export async function enter(ask: () => Promise<Answer<'/api/auth/login', 'post'>>): Promise<void> {
  // Holds the lock of the outbox, so that no page sends ratings of one user while another user logs in.
  const answer = await withSendLock(async () => {
    const found = await ask()
    // If a different user has logged in, the cached data of the previous user is deleted, even if the session of the
    // previous user expired long ago.
    const last = account.user ?? rememberedUser<User>()
    if (last !== undefined && last.id !== found.user.id) await forget()
    rememberUser(found.user)
    return found
  })
  if (account.user !== undefined && account.user.id !== answer.user.id) {
    location.assign(document.baseURI)
    return
  }
  accept(answer)
  answerAsked?.(true)
}

/** Closes the login dialog; the requests that wait for the login then fail with the refusal of the service. */
export function declineLogin(): void {
  answerAsked?.(false)
}

export async function logOut(): Promise<void> {
  const { redirect } = await withSendLock(async () => {
    const answer = await api.post('/api/auth/oidc/logout')
    forgetUser()
    return answer
  })
  await forget()
  // `redirect` is the logout page of the identity provider, where the user may still be logged in.
  location.assign(redirect ?? document.baseURI)
}

/** Reloads the account after a change of name or password. */
export async function refreshAccount(): Promise<void> {
  accept(await api.get('/api/auth/me'))
}

function accept({ user: found, must_change_password, roles }: Answered): void {
  const user = { ...found, roles }
  if (!must_change_password) justTyped = ''
  rememberUser(user)
  if (must_change_password) {
    account.user = user
    account.status = 'password'
  } else enterAs(user)
}

/** Returns whether the user may write content; administrators always may. Undefined if no user is known. */
export const isAuthor = () => account.user?.roles?.author ?? account.user?.is_admin

/** Forgets the user and deletes the cached content. Unsent ratings stay. */
async function forget(): Promise<void> {
  forgetUser()
  removeOwn()
  queryClient.clear()
  // If this chunk cannot be loaded, the content is deleted when the app opens for the next user.
  await import('../storage/kept.js').then(({ forgetKept }) => forgetKept()).catch(() => {})
}
