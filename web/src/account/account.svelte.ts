import { type Answer, api, onLoggedOut, onPasswordDemanded } from '../api/client.js'
import { Fault, Refused } from '../api/faults.js'
import { queryClient } from '../api/query-client.js'
import type { User } from '../api/types.js'
import { isBackFromProvider, readStored, removeOwn, removeStored, writeStored } from '../platform/storage.js'
import { takeTurn } from '../storage/turn.js'

/**
 * `unknown` until the service has said who is here; `nobody`: the login page; `password`: a new password comes first;
 * `ready`: the app.
 */
type Status = 'unknown' | 'nobody' | 'password' | 'ready'

const REMEMBERED = 'training.user'

interface AccountState {
  status: Status
  user: User | undefined
  /** Why it is not known who is here. */
  fault: unknown
  /** For what the dialog is open: to log in again, or to prove who it is before access is handed out. */
  asked: 'login' | 'proof' | undefined
}

export const account = $state<AccountState>({
  status: 'unknown',
  user: undefined,
  fault: undefined,
  asked: undefined,
})

let answerAsked: ((isBack: boolean) => void) | undefined
let asked: Promise<boolean> | undefined

/** Several requests may wait for one dialog; when the session ends meanwhile, it asks for a login instead. */
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
onLoggedOut(ask)

/** Asks who it is, before the page is left for something that needs to know; false when nobody has answered. */
export const proveWhoItIs = () => ask('proof')

// An administrator has set another password meanwhile.
onPasswordDemanded(() => {
  if (account.status === 'ready') void refreshAccount().catch(() => {})
})

// In another page of the browser somebody else has logged in, and this one would show a mix of both; or whoever was
// here has logged out, and may be gone.
addEventListener('storage', ({ key, newValue }) => {
  if (key !== REMEMBERED || account.user === undefined) return
  if (newValue === null || readStored<User>(REMEMBERED)?.id !== account.user.id) location.reload()
})

/** Whether somebody was logged in here when the app was last open, and probably still is. */
export function isSomebodyKnown(): boolean {
  return readStored(REMEMBERED) !== undefined
}

/** Asks the service who is here; without a network it is who was here last. */
export async function findAccount(): Promise<void> {
  account.fault = undefined
  try {
    const answer = await api.get('/api/auth/me')
    // By the provider somebody else may have logged in, which no page has seen.
    const last = readStored<User>(REMEMBERED)
    if (last !== undefined && last.id !== answer.user.id) await forget()
    if (isBackFromProvider()) {
      const { user, sign_in } = answer
      await import('./draft.js').then(({ findDraft }) => findDraft(user.id, sign_in.is_fresh)).catch(() => {})
    }
    accept(answer)
  } catch (error) {
    if (error instanceof Refused && error.status === 401) {
      account.status = 'nobody'
      return
    }
    const remembered = readStored<User>(REMEMBERED)
    if (remembered === undefined || !(error instanceof Fault)) {
      account.fault = error
      return
    }
    account.user = remembered
    account.status = 'ready'
  }
}

/** @throws Fault with the sentence to show */
export function logIn(username: string, password: string): Promise<void> {
  return enter(() => api.post('/api/auth/login', { body: { username, password } }))
}

/** @throws Fault with the sentence to show */
export async function proveByPassword(password: string): Promise<void> {
  await takeTurn(() => api.post('/api/auth/confirm', { body: { password } }))
  answerAsked?.(true)
}

/** Logs in by what asks the service; in a session of the same person that proves again who it is. @throws Fault */
export async function enter(ask: () => Promise<Answer<'/api/auth/login', 'post'>>): Promise<void> {
  // No page sends the ratings of one person while the next one logs in.
  const answer = await takeTurn(async () => {
    const found = await ask()
    // Somebody else: nothing of the one before may stay, also when their session ended by itself long ago.
    const last = account.user ?? readStored<User>(REMEMBERED)
    if (last !== undefined && last.id !== found.user.id) await forget()
    writeStored(REMEMBERED, found.user)
    return found
  })
  if (account.user !== undefined && account.user.id !== answer.user.id) {
    location.assign(document.baseURI)
    return
  }
  accept(answer)
  answerAsked?.(true)
}

/** The dialog was closed without an answer: what waits for it is refused. */
export function declineLogin(): void {
  answerAsked?.(false)
}

export async function logOut(): Promise<void> {
  const { redirect } = await takeTurn(async () => {
    const answer = await api.post('/api/auth/oidc/logout')
    removeStored(REMEMBERED)
    return answer
  })
  await forget()
  // Whoever has come by the provider is still logged in there.
  location.assign(redirect ?? document.baseURI)
}

/** The account has changed: by a new name or a new password. */
export async function refreshAccount(): Promise<void> {
  accept(await api.get('/api/auth/me'))
}

function accept({ user, must_change_password }: { user: User; must_change_password: boolean }): void {
  account.user = user
  account.status = must_change_password ? 'password' : 'ready'
  writeStored(REMEMBERED, user)
}

/** Takes away what was kept for reading; what waits to be sent stays. */
async function forget(): Promise<void> {
  removeStored(REMEMBERED)
  removeOwn()
  queryClient.clear()
  // When its part is gone, what was kept goes as soon as the next person is here.
  await import('../storage/kept.js').then(({ forgetKept }) => forgetKept()).catch(() => {})
}
