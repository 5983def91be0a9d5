/** Matches a path with the code of a proof or the token of a calendar feed; both grant access without a login. */
const SECRET_SEGMENT = /(\/(?:nachweis|proofs\/verify|proofs|api\/calendar)\/)([^/]{16,})/g

/**
 * Returns the path of a request for the log. Removes the query, which may contain search texts, names and secrets of a
 * sign-in. Decodes the path, because the router also accepts encoded paths. Masks codes of proofs and tokens of
 * calendar feeds.
 * @example loggedPath('/api/proofs/AB7K9QF2M4X8ZC6T.pdf?x=1') // '/api/proofs/***'
 */
export function loggedPath(url: string): string {
  return decode(url.replace(/[?#].*$/s, '')).replaceAll(SECRET_SEGMENT, '$1***')
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
