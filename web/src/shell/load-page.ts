import type { PageComponent, Route } from './route.js'

/**
 * Error of a chunk that could not be loaded, for example because the network is unavailable or a newer version has
 * replaced the chunk
 */
export class ChunkGone extends Error {}

const loaded = new Map<Route, Promise<PageComponent>>()

let resolveFramed: () => void
const framed = new Promise<void>((resolve) => {
  resolveFramed = resolve
})

/**
 * Reports that the frame is rendered. The first page is rendered in a later task, because rendering both at once would
 * block a slow phone.
 */
export function reportFrame(): void {
  setTimeout(resolveFramed)
}

/**
 * Loads the component of a page once; after a failure, the next call retries.
 * @throws ChunkGone if the chunk of the page cannot be loaded
 */
export function loadPage(route: Route): Promise<PageComponent> {
  const known = loaded.get(route)
  if (known !== undefined) return known
  const page = route.load().then(
    (page) => framed.then(() => page as PageComponent),
    (error: Error) => {
      loaded.delete(route)
      throw new ChunkGone(error.message)
    },
  )
  loaded.set(route, page)
  return page
}
