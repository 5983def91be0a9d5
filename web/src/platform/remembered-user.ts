import { readStored, removeStored, writeStored } from './storage.js'

const KEY = 'training.user'

/** The user who last logged in with this browser, shared by its tabs. */
interface RememberedUser {
  id: number
}

export const rememberedUser = <User extends RememberedUser>() => readStored<User>(KEY)

export function rememberUser(user: RememberedUser): void {
  writeStored(KEY, user)
}

export function forgetUser(): void {
  removeStored(KEY)
}

/** Calls the listener with the user that another tab has stored at a login; with undefined after a logout. */
export function onOtherTab(listener: (user: RememberedUser | undefined) => void): void {
  addEventListener('storage', ({ key, newValue }) => {
    if (key === KEY) listener(newValue === null ? undefined : rememberedUser())
  })
}
