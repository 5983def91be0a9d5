/** What `Load` needs of a query. */
interface Loading<T> {
  readonly data: T | undefined
  readonly error: unknown
  readonly isPending: boolean
  refetch: () => unknown
}

/** What is waited for. */
interface Answered {
  /** It has been answered or has failed for good, ever. */
  readonly isFetched: boolean
  /** How often it has failed since it was last asked for. */
  readonly failureCount: number
}

/**
 * The query, but answered only once the others have been answered or have failed, too: what they bring would push away
 * what it has brought. What has been shown stays, however the others fare later.
 */
export function after<T>(query: Loading<T>, ...others: Answered[]): Loading<T> {
  const isEarly = () => others.some(({ isFetched, failureCount }) => !isFetched && failureCount === 0)
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
