/** Whether `If-None-Match` names the tag. Compares weakly: a proxy that compresses makes it weak (RFC 9110, 13.1.2). */
export function knowsEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = (ifNoneMatch ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag) || tags.includes('*')
}
