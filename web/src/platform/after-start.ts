/** Resolves when the page has loaded, that time has gone by, and nothing else is to be done. */
export async function afterStart(ms: number): Promise<void> {
  if (document.readyState !== 'complete') {
    await new Promise((resolve) => addEventListener('load', resolve, { once: true }))
  }
  await new Promise((resolve) => setTimeout(resolve, ms))
  // Safari has no such callback.
  await new Promise<unknown>((resolve) =>
    'requestIdleCallback' in globalThis ? requestIdleCallback(resolve, { timeout: ms }) : resolve(undefined),
  )
}
