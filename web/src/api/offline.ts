import type { InfiniteData, QueryClient, QueryKey } from '@tanstack/svelte-query'
import { rememberedUser } from '../platform/remembered-user.js'
import { Fault, ForeignAnswer, isRefused, Unreachable } from './faults.js'
import { isLate } from './patience.js'

/** Milliseconds after which a request is repeated while its cached copy is shown */
const ASK_AGAIN_MS = 10_000

/** Loaded on demand, because the first page seldom needs it */
const store = () => import('../storage/kept.js')

/** Content of a response. `keptAt` is set for a cached copy: the time of its request, in ms since the epoch. */
export type Marked<T> = T & { keptAt?: number }

/** Context that TanStack Query passes to a query function */
interface Asking {
  client: QueryClient
  queryKey: QueryKey
  pageParam?: unknown
}

const currentUserId = () => rememberedUser()?.id

/**
 * Sends the request and caches the response. If the query holds no content and the response is late, returns a cached
 * copy, marked with its time; the late response then replaces the copy in the query. If the service is unreachable,
 * returns the content of the query, or else the cached copy, marked in the same way.
 * @throws the error of `ask` if there is no copy, no user is known, or the service has refused
 */
export async function fetchOrCached<T extends object>(
  asking: Asking,
  name: string,
  ask: () => Promise<T>,
): Promise<Marked<T>> {
  const user = currentUserId()
  if (user === undefined) return ask()
  const at = Date.now()
  const answer = ask().then((content) => {
    keepLater(user, name, content, at)
    return content
  })
  const shown = readShown<T>(asking)
  // Content that the query already holds stays until the response arrives, and no older copy replaces it.
  if (shown === undefined && (await isLate(answer))) {
    const kept = await findMarked<T>(user, name)
    if (kept === undefined) return answer
    answer.then(
      // Deferred to a later task, because the response may arrive before the query holds the copy.
      (content) => setTimeout(() => replaceKept(asking, content)),
      (error) => failedLate(asking, user, name, error),
    )
    return kept
  }
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof Unreachable || error instanceof ForeignAnswer)) throw error
    const kept = shown ?? (await findMarked<T>(user, name))
    if (kept === undefined) throw error
    askAgain(asking)
    return kept
  }
}

async function findMarked<T>(user: number, name: string): Promise<Marked<T> | undefined> {
  const kept = await (await store()).findKept<T>(user, name)
  return kept && { ...kept.content, keptAt: kept.at }
}

function keepLater(user: number, name: string, content: unknown, at: number): void {
  store().then(
    // Another user may have logged in before the response arrived; the content is then not cached.
    ({ keep }) => (currentUserId() === user ? keep(user, name, content, at) : undefined),
    () => undefined,
  )
}

/**
 * Returns the content that the query already holds for this request, marked with its time; undefined if there is none.
 */
function readShown<T>({ client, queryKey, pageParam }: Asking): Marked<T> | undefined {
  const state = client.getQueryState<Marked<T> | InfiniteData<Marked<T>>>(queryKey)
  const data = state?.data
  if (state === undefined || data === undefined) return undefined
  const found = isPaged(data) ? data.pages[data.pageParams.indexOf(pageParam)] : data
  return found && { ...found, keptAt: found.keptAt ?? state.dataUpdatedAt }
}

/** Replaces a cached copy in the query with the response, unless the query already holds newer content. */
function replaceKept<T extends object>({ client, queryKey, pageParam }: Asking, content: Marked<T>): void {
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

function failedLate(asking: Asking, user: number, name: string, error: unknown): void {
  if (isRefused(error, 404)) {
    // The content has been deleted. The refetch fails with 404 as well, and the page then shows this.
    void store()
      .then(({ forgetOne }) => forgetOne(user, name))
      .then(() => asking.client.invalidateQueries({ queryKey: asking.queryKey, exact: true }))
      .catch(() => undefined)
  } else if (error instanceof Fault && error.isPassing) askAgain(asking)
}

const planned = new Set<string>()

/** Repeats the request after `ASK_AGAIN_MS` if a page still shows the content. */
function askAgain({ client, queryKey }: Asking): void {
  const id = JSON.stringify(queryKey)
  if (planned.has(id)) return
  planned.add(id)
  setTimeout(() => {
    planned.delete(id)
    void client.invalidateQueries({ queryKey, exact: true }, { cancelRefetch: false })
  }, ASK_AGAIN_MS)
}
