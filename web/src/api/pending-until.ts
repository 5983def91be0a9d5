/** The part of a query that `Load` needs. */
interface Loading<T> {
  readonly data: T | undefined
  readonly error: unknown
  readonly isPending: boolean
  refetch: () => unknown
}

/** State of a query for which `pendingUntil` waits. */
interface Answered {
  /** Whether the query has ever succeeded or finally failed */
  readonly isFetched: boolean
  /** Number of failed attempts of the current request */
  readonly failureCount: number
}

/**
 * Returns the query as pending until each of `others` has succeeded or failed for the first time. Thus no content of
 * `others` arrives later and moves the content of the query. A later refetch of `others` does not hide the content.
 */
export function pendingUntil<T>(query: Loading<T>, ...others: Answered[]): Loading<T> {
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
