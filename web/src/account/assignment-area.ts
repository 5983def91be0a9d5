import type { Roles, User } from '../api/types.js'

type Overseer = Pick<User, 'is_admin'> & { roles?: Roles | undefined }

export function assignmentAreaName(user: Overseer | undefined): string {
  if (user?.is_admin || (user?.roles?.author && user.roles.lead)) return 'Aufgaben vergeben'
  return user?.roles?.lead ? 'Aufgaben der Teams' : 'Aufgaben betreuen'
}
