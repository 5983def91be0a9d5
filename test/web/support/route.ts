import type { Page, Route } from 'playwright-core'

/**
 * Handles the first request to these addresses; later ones go on to other handlers or to the service. Playwright's
 * option `times: 1` removes its handler without waiting for the browser, so that a handler added in the meantime may
 * never be called.
 * @param addresses pattern for `page.route`
 */
export async function routeOnce(
  page: Page,
  addresses: string | RegExp,
  handler: (route: Route) => Promise<unknown>,
): Promise<void> {
  let isUsed = false
  await page.route(addresses, async (route) => {
    if (isUsed) return route.fallback()
    isUsed = true
    await handler(route)
  })
}
