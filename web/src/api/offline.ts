import type { InfiniteData, QueryClient, QueryKey } from '@tanstack/svelte-query'
import { rememberedUser } from '../platform/remembered-user.js'
import { Fault, ForeignResponse, isRefused, Unreachable } from './faults.js'
import { isLate } from './late-response.js'

/** Milliseconds after which a failed request is repeated while older content is shown */
const REFETCH_AFTER_MS = 10_000

/** Loads the storage module on demand, so that the entry chunk does not contain the database code. */
const store = () => import('../storage/kept.js')

/** Content of a response. If the content is not current, `keptAt` is its time in ms since the epoch. */
export type Marked<T> = T & { keptAt?: number }

interface QueryContext {
  client: QueryClient
  queryKey: QueryKey
  pageParam?: unknown
}

const currentUserId = () => rememberedUser()?.id

/**
 * Sends the request and caches the response. If the query has no content yet and the response is late, returns a cached
 * copy, if any; the response replaces the copy later. If the service is unreachable, returns the content of the query
 * or the cached copy. Older content is marked with `keptAt`.
 * @throws the error of `request` if there is no older content, or if the error is neither `Unreachable` nor
 * `ForeignResponse`
 */
export async function fetchOrCached<T extends object>(
  context: QueryContext,
  name: string,
  request: () => Promise<T>,
): Promise<Marked<T>> {
  const user = currentUserId()
  if (user === undefined) return request()
  const at = Date.now()
  const response = request().then((content) => {
    cacheLater(user, name, content, at)
    return content
  })
  const shown = readShown<T>(context)
  // Content that the query already holds stays until the response arrives, and no older copy replaces it.
  if (shown === undefined && (await isLate(response))) {
    const cached = await findMarked<T>(user, name)
    if (cached === undefined) return response
    response.then(
      // Waits for a later task, because the response may arrive before the query holds the copy.
      (content) => setTimeout(() => replaceCached(context, content)),
      (error) => failedLate(context, user, name, error),
    )
    return cached
  }
  try {
    return await response
  } catch (error) {
    if (!(error instanceof Unreachable || error instanceof ForeignResponse)) throw error
    const cached = shown ?? (await findMarked<T>(user, name))
    if (cached === undefined) throw error
    refetchLater(context)
    return cached
  }
}

async function findMarked<T>(user: number, name: string): Promise<Marked<T> | undefined> {
  const cached = await (await store()).findCached<T>(user, name)
  return cached && { ...cached.content, keptAt: cached.at }
}

function cacheLater(user: number, name: string, content: unknown, at: number): void {
  store().then(
    // Another user may have logged in before the response arrived; the content is then not cached.
    ({ cacheContent }) => (currentUserId() === user ? cacheContent(user, name, content, at) : undefined),
    () => undefined,
  )
}

/** Returns the content that the query already holds for this request, with `keptAt` set to its time. */
function readShown<T>({ client, queryKey, pageParam }: QueryContext): Marked<T> | undefined {
  const state = client.getQueryState<Marked<T> | InfiniteData<Marked<T>>>(queryKey)
  const data = state?.data
  if (state === undefined || data === undefined) return undefined
  const found = isPaged(data) ? data.pages[data.pageParams.indexOf(pageParam)] : data
  return found && { ...found, keptAt: found.keptAt ?? state.dataUpdatedAt }
}

/** Replaces a cached copy in the query with the response, unless the query already holds newer content. */
function replaceCached<T extends object>({ client, queryKey, pageParam }: QueryContext, content: Marked<T>): void {
  client.setQueryData(queryKey, (data: Marked<T> | InfiniteData<Marked<T>> | undefined) => {
    if (data === undefined) return undefined
    if (!isPaged(data)) return data.keptAt === undefined ? data : content
    const at = data.pageParams.indexOf(pageParam)
    if (data.pages[at]?.keptAt === undefined) return data
    // Drops the later pages, because they were requested with the cursor of the cached copy.
    return { pages: [...data.pages.slice(0, at), content], pageParams: data.pageParams.slice(0, at + 1) }
  })
}

function isPaged<T>(data: T | InfiniteData<T>): data is InfiniteData<T> {
  return Array.isArray((data as InfiniteData<T>).pageParams)
}

function failedLate(context: QueryContext, user: number, name: string, error: unknown): void {
  if (isRefused(error, 404)) {
    // The service no longer has the content. The refetch fails with 404 as well, and the page then shows this error.
    void store()
      .then(({ deleteCachedItem }) => deleteCachedItem(user, name))
      .then(() => context.client.invalidateQueries({ queryKey: context.queryKey, exact: true }))
      .catch(() => undefined)
  } else if (error instanceof Fault && error.isPassing) refetchLater(context)
}

const planned = new Set<string>()

function refetchLater({ client, queryKey }: QueryContext): void {
  const id = JSON.stringify(queryKey)
  if (planned.has(id)) return
  planned.add(id)
  setTimeout(() => {
    planned.delete(id)
    void client.invalidateQueries({ queryKey, exact: true }, { cancelRefetch: false })
  }, REFETCH_AFTER_MS)
}
