/** What `Load` needs of a query. */
interface Loading<T> {
  readonly data: T | undefined
  readonly error: unknown
  readonly isPending: boolean
  refetch: () => unknown
}

/** The query, but answered only once the others are, too: what they bring would push away what it has brought. */
export function after<T>(query: Loading<T>, ...others: { readonly isPending: boolean }[]): Loading<T> {
  const isEarly = () => others.some(({ isPending }) => isPending)
  return {
    get data() {
      return isEarly() ? undefined : query.data
    },
    get error() {
      return query.error
    },
    get isPending() {
      return query.isPending || isEarly()
    },
    refetch: () => query.refetch(),
  }
}
