interface Overseer {
  is_admin: boolean
  roles?: { author: boolean; lead: boolean } | undefined
}

export function assignmentAreaName(user: Overseer | undefined): string {
  if (user?.is_admin || (user?.roles?.author && user.roles.lead)) return 'Aufgaben vergeben'
  return user?.roles?.lead ? 'Aufgaben der Teams' : 'Aufgaben betreuen'
}
