/** Page of a list; `next_after` is null on the last page. */
interface Page {
  next_after: number | null
}

/**
 * Reads the pages of a list that a page of the app needs as a whole.
 * @param most maximum number of pages
 */
export async function readAll<P extends Page>(
  read: (after: number | undefined) => Promise<P>,
  most = Number.POSITIVE_INFINITY,
): Promise<[P, ...P[]]> {
  const pages: [P, ...P[]] = [await read(undefined)]
  let after = pages[0].next_after
  while (after !== null && pages.length < most) {
    const page = await read(after)
    pages.push(page)
    after = page.next_after
  }
  return pages
}
