import { cp, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { openSession } from '../../../dist/test/support/process.js'
import { startBrowser } from '../browser.js'
import { createGermanWriter } from '../german-text.js'
import { PASSWORD } from '../password.js'
import type { Postgres } from '../postgres.js'
import { makeFolder, ROOT, startService } from '../processes.js'
import { createRandom } from '../random.js'
import type { Measure } from '../report.js'
import { measureKeys } from '../web/keys.js'
import { measureLighthouse } from '../web/lighthouse.js'
import { measureList } from '../web/list.js'
import { measureLoading } from '../web/loading.js'

const CARDS = 5_000
const SESSION = 50
const APP = path.join(ROOT, 'dist/app')

export interface Visit {
  url: string
  /** `Cookie` header of a learner with reviews */
  cookie: string
  userId: number
  /** Slug of the large deck */
  deck: string
  /** Number of cards in a session */
  session: number
}

/** Measures the sizes of the app's files, and the app in a real browser, which is throttled except while scrolling. */
export async function measureWeb(postgres: Postgres): Promise<Measure[]> {
  const username = 'lernt-im-browser'
  const service = await startService(await postgres.createDatabase(), {
    CONTENT_DIR: await writeContent(),
    ADMIN_USERNAME: username,
    ADMIN_PASSWORD: PASSWORD,
  })
  const cookie = await openSession(service.url, { username, password: PASSWORD })
  const me = await fetch(`${service.url}/api/auth/me`, { headers: { cookie } })
  const { user } = (await me.json()) as { user: { id: number } }
  const visit: Visit = { url: service.url, cookie, userId: user.id, deck: 'sehr-viele', session: SESSION }
  await learnBefore(visit)
  const browser = await startBrowser()
  return [
    ...(await measureSizes()),
    ...(await measureLoading(browser, visit)),
    ...(await measureKeys(browser, visit)),
    ...(await measureList(browser, visit)),
    ...(await measureLighthouse(browser, visit)),
  ]
}

async function writeContent(): Promise<string> {
  const folder = await makeFolder()
  await cp(path.join(ROOT, 'content'), folder, { recursive: true })
  const write = await createGermanWriter(createRandom())
  const cards = Array.from({ length: CARDS }, (_, index) =>
    [
      `## Karte ${index + 1}: ${write(40).replaceAll(/\s+/g, ' ')}?`,
      `<!-- id: karte-${index + 1}; level: grundlagen -->`,
      '### Antwort',
      `${write(200)}\n\n\`\`\`bash\ngit log --oneline -${index + 1}\n\`\`\``,
    ].join('\n'),
  )
  const head = '---\nslug: sehr-viele\nname: Sehr viele Karten\nsort_order: 900\n---\n'
  await writeFile(path.join(folder, 'decks', 'sehr-viele.md'), `${head}${cards.join('\n\n')}\n`)
  return folder
}

/** Rates some cards, allows enough new cards per day for a session, and deactivates the large deck. */
async function learnBefore({ url, cookie, deck, session }: Visit): Promise<void> {
  const send = async (method: string, address: string, body?: unknown) => {
    const headers = { cookie, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }
    const response = await fetch(url + address, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
    if (!response.ok) throw new Error(`${method} ${address}: ${response.status} ${await response.text()}`)
    return response.json() as Promise<unknown>
  }
  const queue = (await send('GET', '/api/review/queue?limit=10')) as { cards: { card_id: number }[] }
  for (const { card_id } of queue.cards)
    await send('POST', '/api/review', { card_id, rating: 'easy', duration_ms: 5_000 })
  await send('PUT', '/api/review/settings', { new_per_day: 20 * session })
  await send('PUT', `/api/review/decks/${deck}`, { active: false })
}

/** Measures the size of all compressed JavaScript and CSS. `scripts/check-sizes.mjs` limits the sizes of the parts. */
async function measureSizes(): Promise<Measure[]> {
  const files = (await readdir(APP, { recursive: true })).filter((file) => /\.(js|css)\.br$/.test(file))
  const sizes = await Promise.all(
    files.map(async (file) => ({ file, size: (await readFile(path.join(APP, file))).length / 1000 })),
  )
  const sum = (those: typeof sizes) => those.reduce((total, { size }) => total + size, 0)
  const styles = sizes.filter(({ file }) => file.endsWith('.css.br'))
  const service = `${sum(sizes).toFixed(1)} kB; its CSS: ${sum(styles).toFixed(1)} kB`
  return [{ what: 'all JavaScript and CSS of the app, brotli', service }]
}
