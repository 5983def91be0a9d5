interface Loading<T> {
  readonly data: T | undefined
  readonly error: unknown
  readonly isPending: boolean
  refetch: () => unknown
}

interface FetchState {
  readonly isFetched: boolean
  readonly failureCount: number
}

/**
 * Returns the query as pending until each of `others` has succeeded or failed for the first time. Otherwise, the
 * content of `others` would arrive later and shift the content of this query on the page.
 */
export function pendingUntil<T>(query: Loading<T>, ...others: FetchState[]): Loading<T> {
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
