/** Maximum milliseconds to wait for pages that never call `reportPageShown` */
const LONGEST_MS = 10_000

let resolveShown: () => void
const shown = new Promise<void>((resolve) => {
  resolveShown = resolve
})

/** Reports that the main content of the first page is shown. */
export function reportPageShown(): void {
  resolveShown()
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Resolves when the browser is idle, but not before `ms` milliseconds after the call of `reportPageShown`. If there is
 * no such call within `LONGEST_MS`, the `ms` milliseconds begin then.
 */
export async function whenIdle(ms: number): Promise<void> {
  await Promise.race([shown, wait(LONGEST_MS)])
  await wait(ms)
  // Safari does not support requestIdleCallback.
  await new Promise<unknown>((resolve) =>
    'requestIdleCallback' in globalThis ? requestIdleCallback(resolve, { timeout: 1_000 }) : resolve(undefined),
  )
}
