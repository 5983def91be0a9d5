import lighthouse from 'lighthouse'
import type { Browser } from 'puppeteer-core'
import { median } from '../median.js'
import type { Measure } from '../report.js'
import type { Visit } from '../scenarios/web.js'
import { findSheet } from './loading.js'

const ROUNDS = 5
/** Minimum Lighthouse scores, on a scale from 0 to 100 */
const MIN_SCORES = { performance: 95, accessibility: 100, 'best-practices': 96 }
type Category = keyof typeof MIN_SCORES
const CATEGORIES = Object.keys(MIN_SCORES) as Category[]

/** Runs Lighthouse with its default settings for a phone, which simulate a slow network and processor. */
export async function measureLighthouse(browser: Browser, visit: Visit): Promise<Measure[]> {
  const pages = { 'start page': '/', 'a cheat sheet': await findSheet(visit) }
  const measures: Measure[] = []
  for (const [name, address] of Object.entries(pages)) {
    const scores: Record<Category, number>[] = []
    const faults = new Set<string>()
    for (let round = 0; round < ROUNDS; round++) scores.push(await audit(browser, visit, address, faults))
    for (const category of CATEGORIES) {
      const score = median(scores.map((found) => found[category]))
      measures.push({
        what: `Lighthouse, mobile, ${name}: ${category}, median of ${ROUNDS}`,
        service: score < MIN_SCORES[category] ? [...faults].join(', ') : '',
        target: `≥ ${MIN_SCORES[category]}`,
        reached: String(score),
        met: score >= MIN_SCORES[category],
      })
    }
  }
  return measures
}

async function audit(
  browser: Browser,
  { url, cookie }: Visit,
  address: string,
  faults: Set<string>,
): Promise<Record<Category, number>> {
  const result = await lighthouse(url + address, {
    port: Number(new URL(browser.wsEndpoint()).port),
    onlyCategories: CATEGORIES,
    extraHeaders: { cookie },
    logLevel: 'error',
  })
  if (result === undefined) throw new Error('Lighthouse has found nothing')
  const { categories, audits } = result.lhr
  for (const { id, weight } of CATEGORIES.flatMap((category) => categories[category]?.auditRefs ?? [])) {
    const score = audits[id]?.score
    if (weight > 0 && typeof score === 'number' && score < 0.9) faults.add(id)
  }
  return Object.fromEntries(
    CATEGORIES.map((category) => [category, Math.round((categories[category]?.score ?? 0) * 100)]),
  ) as Record<Category, number>
}
