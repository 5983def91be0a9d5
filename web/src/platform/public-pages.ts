/** Returns whether a page needs no login: the verification of certificates, and the pages for links in mails. */
export function isPublic(path: string): boolean {
  return /^\/(nachweis(\/|$)|mail\/(bestaetigen|abbestellen)$)/.test(path)
}
