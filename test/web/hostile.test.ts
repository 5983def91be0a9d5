import { existsSync } from 'node:fs'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { writeContentFolder } from '../support/content.js'
import { type App, CHROMIUM, DESK, isAt, isTooWide, openApp, type Person, PHONE } from './support/app.js'
import { HOSTILE_NAME, HOSTILE_SLUG, hostileFiles } from './support/hostile-content.js'
import { press, untilReady } from './support/keys.js'

const DECK = encodeURIComponent(HOSTILE_SLUG)

/**
 * Expression that returns the faults of the page, one line each. The page must not contain forbidden elements, even if
 * the Content Security Policy makes them harmless.
 */
const FAULTS = `(() => {
  const faults = []
  const tell = (what, element) => faults.push(what + ': ' + element.outerHTML.slice(0, 160))
  if (window.hit !== undefined) faults.push('a payload ran')
  for (const element of document.querySelectorAll('iframe, object, embed, meta[http-equiv], link[rel=stylesheet], base, script')) {
    const address = element.src ?? element.href ?? ''
    if (!address.startsWith(location.origin + '/')) tell('element', element)
  }
  for (const element of document.querySelectorAll('.markdown :is(form, input, style, svg, video, dialog, template, details, x)')) {
    tell('element', element)
  }
  const ids = new Set()
  for (const element of document.querySelectorAll('body *')) {
    for (const { name, value } of element.attributes) if (/^on|^srcset$|^srcdoc$/.test(name)) tell(name, element)
    if (element.id !== '' && ids.has(element.id)) tell('second id', element)
    ids.add(element.id)
  }
  for (const link of document.querySelectorAll('a[href]')) {
    if (!/^(https?|mailto):$/.test(link.protocol)) tell('scheme', link)
    const isOurs = link.origin === location.origin || link.protocol === 'mailto:'
    if (!isOurs && (link.target !== '_blank' || link.rel !== 'noopener noreferrer')) tell('leaves', link)
    if (link.getAttribute('href') === '') tell('leads nowhere', link)
  }
  for (const image of document.images) if (new URL(image.src).origin !== location.origin) tell('image', image)
  for (const element of document.querySelectorAll('.markdown [class]')) {
    if (!/^(language-\\S+|hljs-.*|code|copy|table|markdown piece)$/.test(element.className)) tell('class', element)
  }
  return faults
})()`

const DESK_AND_PHONE = { desk: DESK, phone: PHONE }

interface Visit extends Person {
  app: App
  sizes: Record<string, typeof DESK>
  /** Dialogs, new windows and navigations that the page has caused */
  escapes: string[]
  /** Waits until the page has no running request. */
  untilLoaded(): Promise<void>
}

async function visit(app: App, options: Parameters<App['newPerson']>[0], sizes: Visit['sizes']): Promise<Visit> {
  const person = await app.newPerson(options)
  const escapes: string[] = []
  const { page } = person
  page.on('dialog', (dialog) => {
    escapes.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.context().on('page', (opened) => escapes.push(`window: ${opened.url()}`))
  page.on('framenavigated', (frame) => {
    if (!frame.url().startsWith(app.url)) escapes.push(`frame: ${frame.url()}`)
  })
  // A count of requests does not end: the browser reports no end of a request that outlives its page.
  const untilLoaded = () => page.waitForLoadState('networkidle')
  return { ...person, app, sizes, escapes, untilLoaded }
}

async function look(t: Test, { page }: { page: Page }, name: string): Promise<void> {
  t.strictSame(await page.evaluate(FAULTS), [], name)
  t.notOk(await isTooWide(page), `${name}: fits the window`)
}

async function checkWindowSizes(t: Test, visit: Visit, name: string): Promise<void> {
  const { page, sizes } = visit
  for (const [size, viewport] of Object.entries(sizes)) {
    await page.setViewportSize(viewport)
    const folds = page.locator('main details:not([open]) > summary')
    // At once, because a page may open or close a fold itself when the window gets another size.
    await folds.evaluateAll((summaries) => {
      for (const summary of summaries as { click(): void }[]) summary.click()
    })
    await look(t, visit, `${name}, ${size}`)
  }
}

async function open(t: Test, visit: Visit, path: string, ready = 'h1'): Promise<void> {
  const { page, app } = visit
  await page.goto(`${app.url}/${path}`)
  await page.locator(ready).first().waitFor()
  await visit.untilLoaded()
  const name = `/${path}`.slice(0, 60)
  await checkWindowSizes(t, visit, name)
  t.ok(page.url().startsWith(`${app.url}/`), `${name}: does not navigate`)
  t.notMatch(await page.title(), 'nicht gefunden', name)
}

t.test('hostile content', { skip: !existsSync(CHROMIUM) && 'no Chromium' }, async (t) => {
  const folder = await writeContentFolder(t, hostileFiles())
  const app = await openApp(t, { config: { contentDir: folder } })
  const name = HOSTILE_NAME.slice(0, 60)
  const decks = (await (await app.asAdmin('GET', '/api/review/cards?limit=200')).json()) as {
    cards: { card_id: number }[]
  }
  const ids = decks.cards.map(({ card_id }) => card_id)
  t.ok(ids.length > 40)

  await t.test('pages to read', async (t) => {
    const person = await visit(app, { name }, DESK_AND_PHONE)
    const { complaints, escapes } = person
    await open(t, person, '')
    await open(t, person, 'decks')
    await open(t, person, `decks/${DECK}`, 'summary')
    await open(t, person, 'decks/lang', '#karten')
    await open(t, person, `decks/${DECK}?q=${encodeURIComponent('<img src=x onerror=window.hit=1>')}&zustand=<script>`)
    for (const id of ids.filter((_, at) => at % 12 === 1 || at > ids.length - 3))
      await open(t, person, `karten/${id}`, 'summary')
    await open(t, person, 'spickzettel')
    await open(t, person, 'spickzettel/boese', '.markdown h2, .markdown h3')
    await open(t, person, 'spickzettel/lang', '.markdown h2')
    await open(t, person, 'spickzettel/verweise', '.markdown h2')
    for (const q of [
      '<img src=x onerror=window.hit=1>',
      'Spalte',
      '"><svg onload=window.hit=1>',
      '\u202E(*[',
      'Zalgo',
    ]) {
      await open(t, person, `suche?q=${encodeURIComponent(q)}`, 'mark, .none, .hits')
    }
    t.strictSame(complaints, [])
    t.strictSame(escapes, [])
  })

  await t.test('is harmless in a session, a quiz and their results', async (t) => {
    const person = await visit(app, { viewport: PHONE, name }, { phone: PHONE })
    const { page, complaints, escapes } = person
    await page.request.put(`${app.url}/api/review/settings`, { data: { new_per_day: 100 } })
    await open(t, person, `lernen/${DECK}`, 'article')
    const answer = page.locator('article:not([hidden]) .answer:not([hidden])')
    const end = page.locator('.session.end')
    for (let at = 0; !(await end.isVisible()); at++) {
      await press(page, ' ')
      await answer.waitFor()
      if (at % 4 === 0) await look(t, person, `card ${at}`)
      await press(page, '4')
    }
    await page.locator('section.end').waitFor()
    await open(t, person, `quiz/${DECK}`)
    await page.getByRole('radio', { name: '5', exact: true }).check({ force: true })
    await page.getByRole('button', { name: 'Quiz beginnen' }).click()
    for (let at = 0; at < 5; at++) {
      await page
        .getByText(`Frage ${at + 1} von`)
        .first()
        .waitFor()
      await untilReady(page)
      await page.keyboard.press('1')
      await page.getByText('Die ganze Antwort').waitFor()
      await look(t, person, `question ${at}`)
      await page.getByRole('button', { name: /Weiter|Zum Ergebnis/ }).click()
    }
    await page.getByRole('heading', { name: 'Ergebnis' }).waitFor()
    await open(t, person, `quiz/${DECK}`)
    for (const path of ['', 'verlauf', 'statistik', `karten/${ids[0]}`, 'konto']) await open(t, person, path)
    t.strictSame(complaints, [])
    t.strictSame(escapes, [])
  })

  await t.test('opens links in the content safely', async (t) => {
    const person = await visit(app, { name }, { desk: DESK })
    const { page } = person
    await open(t, person, 'spickzettel/boese', '.markdown h2, .markdown h3')
    const text = page.locator('.markdown')
    t.equal(await text.getByRole('link', { name: 'b', exact: true }).first().getAttribute('rel'), 'noopener noreferrer')
    t.equal(
      await text.locator('a', { hasText: /^a$/ }).first().getAttribute('href'),
      null,
      'a script URL is not a link',
    )
    const image = text.getByRole('link', { name: 'Bild', exact: true }).first()
    t.match(await image.getAttribute('href'), 'https://evil.example/', 'an image from elsewhere is a link')
    await text.getByRole('link', { name: 'Sprung' }).click()
    await isAt(t, page, /\/spickzettel\/boese#abschnitt-ziel$/, { message: 'a fragment stays on the page' })
    await text.getByRole('link', { name: 'hierher' }).click()
    await page.waitForURL(`${app.url}/decks`)
  })

  await t.test('is harmless on pages of an administrator', async (t) => {
    const person = await visit(app, { isAdmin: true, name }, DESK_AND_PHONE)
    const { page, complaints, escapes } = person
    for (const text of ['<script>window.hit=1</script>', '\u05D0"><img src=x onerror=window.hit=1>', 'W'.repeat(200)]) {
      const data = { username: text, display_name: text, password: 'vier-zufaellige-woerter' }
      t.equal((await page.request.post(`${app.url}/api/admin/users`, { data })).status(), 200, text)
    }
    for (const id of ids.slice(0, 10)) {
      const data = { text: `<img src=x onerror=window.hit=1> [x](javascript:window.hit=1) ${'Ä'.repeat(900)}` }
      await page.request.post(`${app.url}/api/review/cards/${id}/reports`, { data })
    }
    for (const path of ['', '/benutzer', '/benutzer?q=<script>', '/inhalte', '/meldungen', '/protokoll']) {
      await open(t, person, `verwaltung${path}`)
    }
    for (const id of [2, 3, 5]) await open(t, person, `verwaltung/benutzer/${id}`)
    await open(t, person, 'verwaltung/benutzer/import')
    const csv =
      'username;display_name;passwort\n' +
      `<img src=x onerror=window.hit=1>;"<script>window.hit=1</script>";geheim-genug\n` +
      `"=HYPERLINK(""https://evil.example"")";\u202E${'x'.repeat(5_000)};\n` +
      `${'y'.repeat(5_000)};<svg onload=window.hit=1>;kurz\n`
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: '<b>.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) })
    await page.getByRole('button', { name: 'Liste prüfen' }).click()
    await page.getByText('höchstens 200 Zeichen').first().waitFor()
    await checkWindowSizes(t, person, 'faults of a list')
    t.strictSame(complaints, [])
    t.strictSame(escapes, [])
  })

  await t.test('handles invented addresses', async (t) => {
    app.expectMissing(/\/api\//)
    const person = await visit(app, { name }, {})
    const { page, complaints, escapes } = person
    const odd = [
      '%3Cscript%3E',
      '__proto__',
      'constructor',
      '%00',
      '..%2F..%2Fapi',
      '1e3',
      '-1',
      '%2e%2e',
      'x'.repeat(3_000),
    ]
    for (const place of ['karten', 'decks', 'spickzettel']) {
      for (const value of odd) {
        await page.goto(`${app.url}/${place}/${value}`)
        await page.locator('h1').first().waitFor()
        await look(t, person, `${place}/${value.slice(0, 20)}`)
      }
    }
    t.strictSame(complaints, [])
    t.strictSame(escapes, [])
  })

  await t.test('continues only to pages of this app after login', async (t) => {
    const { page, complaints, login } = await app.newPerson()
    await page.goto(app.url)
    for (const next of [
      '//evil.example',
      '/\\evil.example',
      '/\t/evil.example',
      '/ /evil.example',
      'https://evil.example/',
      '/https://evil.example/',
      '/javascript:window.hit=1',
      '/data:text/html,x',
      '/..//evil.example',
      '/anmelden?weiter=/anmelden',
      '/%0d%0aset-cookie:x=1',
    ]) {
      await page.context().clearCookies()
      await page.evaluate('localStorage.clear()')
      await page.goto(`${app.url}/anmelden?weiter=${encodeURIComponent(next)}`)
      await page.locator('input[autocomplete~=username]').fill(login.username)
      await page.locator('input[autocomplete=current-password]').fill(login.password)
      await page.locator('button[type=submit]').click()
      await page.locator('main h1').waitFor()
      await page.getByRole('navigation').first().waitFor()
      await page.waitForURL(({ pathname }) => !pathname.includes('/anmelden'))
      t.ok(page.url().startsWith(`${app.url}/`) && !page.url().includes('/anmelden'), `${next} → ${page.url()}`)
      t.equal(await page.evaluate('window.hit'), undefined, next)
      t.strictSame(complaints, [], next)
    }
  })
})
