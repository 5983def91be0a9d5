interface Overseer {
  is_admin: boolean
  roles?: { author: boolean; lead: boolean } | undefined
}

/** Returns the name of the pages for assignments, which depends on the user's roles. */
export function overseenArea(user: Overseer | undefined): string {
  if (user?.is_admin || (user?.roles?.author && user.roles.lead)) return 'Aufgaben vergeben'
  return user?.roles?.lead ? 'Aufgaben der Teams' : 'Aufgaben betreuen'
}
