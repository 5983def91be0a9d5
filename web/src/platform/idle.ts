/** Maximum milliseconds to wait for pages that never call `pageIsShown` */
const LONGEST_MS = 4_000

let tellShown: () => void
const shown = new Promise<void>((resolve) => {
  tellShown = resolve
})

/** Reports that the main content of the first page is shown. */
export function pageIsShown(): void {
  tellShown()
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Resolves when the browser is idle, at least `ms` milliseconds after the first page was shown. */
export async function whenIdle(ms: number): Promise<void> {
  await Promise.race([shown, wait(LONGEST_MS)])
  await wait(ms)
  // Safari does not support requestIdleCallback.
  await new Promise<unknown>((resolve) =>
    'requestIdleCallback' in globalThis ? requestIdleCallback(resolve, { timeout: 1_000 }) : resolve(undefined),
  )
}
