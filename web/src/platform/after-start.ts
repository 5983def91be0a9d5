/** A page that never says so has no more than its frame to wait for. */
const LONGEST_MS = 4_000

let tellShown: () => void
const shown = new Promise<void>((resolve) => {
  tellShown = resolve
})

/** What the first page is opened for is there now. */
export function pageIsShown(): void {
  tellShown()
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Resolves when the first page has been there for that time and nothing else is to be done. */
export async function afterStart(ms: number): Promise<void> {
  await Promise.race([shown, wait(LONGEST_MS)])
  await wait(ms)
  // Safari has no such callback.
  await new Promise<unknown>((resolve) =>
    'requestIdleCallback' in globalThis ? requestIdleCallback(resolve, { timeout: 1_000 }) : resolve(undefined),
  )
}
