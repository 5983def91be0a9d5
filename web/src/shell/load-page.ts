import type { PageComponent, Route } from './route.js'

/** The page's part of the program could not be loaded: no network, or a newer version has replaced it. */
export class ChunkGone extends Error {}

const loaded = new Map<Route, Promise<PageComponent>>()

let tellFramed: () => void
const framed = new Promise<void>((resolve) => {
  tellFramed = resolve
})

/** What surrounds the pages is there. The first one follows by itself: both at once would keep a slow phone busy for long. */
export function frameIsThere(): void {
  setTimeout(tellFramed)
}

/** Loads a page once, for the frame around it. @throws ChunkGone, and is tried anew the next time */
export function loadPage(route: Route): Promise<PageComponent> {
  const known = loaded.get(route)
  if (known !== undefined) return known
  const page = route.load().then(
    (module) => framed.then(() => module.default),
    (error: Error) => {
      loaded.delete(route)
      throw new ChunkGone(error.message)
    },
  )
  loaded.set(route, page)
  return page
}
