import { Writable } from 'node:stream'
import type { InjectOptions } from 'fastify'
import t, { type Test } from 'tap'
import { createLogger } from '../../src/logger.js'
import { createSource, writeCard, writeDeck } from '../support/editing.js'
import { createUser } from '../support/factories.js'
import type { Json } from '../support/openapi.js'
import { listOperations, routesClosedToLearners } from '../support/roles.js'
import { type Caller, type ServiceResponse, startService } from '../support/service.js'
import type { ApiQuestion } from '../support/taken-tests.js'

const isPrinting = process.argv.includes('--print')

// The test sends about 800 requests to each of two services.

const TAKER = 'pruefling'
const NOW = new Date('2026-11-25T10:00:00Z')
/** Substrings of the answer keys and explanations; no response and no log entry may contain them. */
const SECRETS = [
  'Romulusstadt',
  'Remusflecken',
  'Begründung',
  'Rückmeldung',
  'achtzigfach',
  'neunzigfach',
  '4711471147',
  '4812481248',
]

/**
 * Returns the question pool of one of two services, called worlds, that differ only in the right answers. The tests
 * show no results, so both services must respond equally to the same requests.
 */
function poolOf(world: 0 | 1): object[] {
  const swap = <T>(one: T, other: T) => (world === 0 ? one : other)
  const options = (right: number[]) =>
    ['Alpha', 'Beta', 'Gamma', 'Delta'].map((text, index) => ({
      text,
      correct: right.includes(index),
      feedback: `Rückmeldung ${text}`,
    }))
  const wrong = (texts: string[]) => texts.map((text) => ({ text, correct: false }))
  const explained = { answer: 'Begründung' }
  return [
    { ...explained, question: 'Vorratsfrage einfach', options: options(swap([0], [2])) },
    { ...explained, question: 'Vorratsfrage mehrfach', options: options(swap([0, 1], [2, 3])) },
    { question: 'Vorratsfrage eigene', answer: swap('Eins', 'Zwei'), options: wrong([swap('Zwei', 'Eins'), 'Drei']) },
    { question: 'Vorratsfrage Text', answer: swap('Romulusstadt', 'Remusflecken'), form: 'text' },
    { question: 'Vorratsfrage Zahl', answer: swap('4711471147', '4812481248'), form: 'number', unit: 'MB' },
    { question: 'Vorratsfrage Reihe', answer: swap('1. Ast\n2. Blatt', '1. Blatt\n2. Ast'), form: 'order' },
    {
      question: 'Vorratsfrage Lücke',
      answer: swap('Es sind {{achtzigfach}}', 'Es sind {{neunzigfach}}'),
      form: 'gaps',
    },
    {
      question: 'Vorratsfrage Auswahl',
      answer: swap('Es ist {{Rot|[ ] Blau}}', 'Es ist {{Blau|[ ] Rot}}'),
      form: 'gaps',
    },
  ]
}

const DEFINITIONS = {
  'ohne-auswertung': { review: 'none' },
  'noch-offen': { review: 'explanations', review_when: 'closed', closes: '2026-12-31' },
}
const SLUGS = Object.keys(DEFINITIONS)

async function createWorld(t: Test, world: 0 | 1) {
  const log: string[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      log.push(String(chunk))
      done()
    },
  })
  const service = await startService(t, { now: () => NOW, logger: createLogger('debug', stream) })
  const { db } = service
  await createUser(db, { username: 'redaktion', is_admin: true })
  await createUser(db, { username: TAKER })
  const editor = await service.loginAs('redaktion')
  const source = await createSource(db, { name: 'Quelle' })
  const deck = await writeDeck(editor, source, { name: 'Offen' })
  const open = await writeCard(editor, deck, { question: 'Offene Frage?', answer: 'Offene Antwort' })
  const pool = await writeDeck(editor, source, { name: 'Vorrat', tests_only: true })
  const cards: number[] = []
  for (const card of poolOf(world)) {
    const written = await writeCard(editor, pool, { ...card, client_id: `karte-${cards.length}` })
    cards.push(written.id)
  }
  for (const [slug, definition] of Object.entries(DEFINITIONS)) {
    const payload = { source_id: source, name: slug, sections: [{ deck: pool }], ...definition }
    const saved = await editor.send({ method: 'PUT', url: `/api/content/tests/${slug}`, payload })
    const published = await editor.post(`/api/content/tests/${slug}/publish`)
    if (saved.status + published.status !== 400) throw new Error(`${saved.text} ${published.text}`)
  }
  log.length = 0
  return { service, log, deck, pool, card: open.id as number, pooled: cards[0] as number, attempts: [] as number[] }
}

type World = Awaited<ReturnType<typeof createWorld>>
type Phase = 'before' | 'during' | 'after'

function requestsOf(
  world: World,
  phase: Phase,
  { method, path, type, query: names }: ReturnType<typeof listOperations>[number],
): InjectOptions[] {
  const { deck, pool, card, pooled, attempts } = world
  const [, , group] = path.split('/')
  const slugs = group === 'tests' || path.includes('/content/tests/') ? SLUGS : [deck, pool]
  const ids = path.includes('/attempts/') ? [attempts[0] ?? 1, attempts[1] ?? 2] : [card, pooled]
  const values = path.includes('{slug}') ? slugs : ids
  const urls = path.includes('{')
    ? values.map((value) => path.replace('{slot}', '0').replaceAll(/\{[^}]+\}/g, String(value)))
    : [path]
  // Queries of parameters that the operation does not have would only repeat the first request.
  const queries = [
    '',
    `?deck=${pool}`,
    '?q=Vorratsfrage',
    `?card=${pooled}`,
    '?question=Vorratsfrage',
    `?format=csv&deck=${pool}`,
    '?format=markdown',
  ].filter((text) => [...new URLSearchParams(text).keys()].every((name) => names.includes(name)))
  const body = {
    client_id: `${phase}-start`,
    card_id: pooled,
    rating: 'easy',
    deck: pool,
    text: 'Fehler',
    seq: 9,
    answer: { text: 'x' },
  }
  return urls.flatMap((url) =>
    (method === 'GET' ? queries : ['']).map((query) => ({
      method: method as 'GET',
      url: url + query,
      ...(type === 'application/json' && { payload: body }),
      ...(type === 'application/octet-stream' && { payload: Buffer.from('x'), headers: { 'content-type': type } }),
    })),
  )
}

/** Routes that the test itself calls to move from one phase to the next */
const STEPS = ['POST /api/tests/{slug}/attempts', 'POST /api/tests/attempts/{id}/submit']

/** Routes that refuse the taker; called during the attempts only, because a refusal reads no test */
const CLOSED = await routesClosedToLearners()

interface Seen {
  route: string
  phase: Phase
  request: string
  response: ServiceResponse
}

async function callAll(world: World, phase: Phase): Promise<Seen[]> {
  const { service } = world
  const seen: Seen[] = []
  let caller = await service.loginAs(TAKER)
  for (const operation of listOperations(service.app.swagger() as Json)) {
    const { route } = operation
    if (STEPS.includes(route) || (phase === 'during' && route.startsWith('PUT /api/tests/'))) continue
    if (CLOSED.has(route) && phase !== 'during') continue
    for (const request of requestsOf(world, phase, operation)) {
      const response = await caller.send(request)
      seen.push({ route, phase, request: `${request.method} ${request.url}`, response })
      // Some requests end the session; a refused one does not.
      const mayEndSession = request.method !== 'GET' && /\/(auth|accounts)\//.test(route) && response.status < 400
      if (mayEndSession) caller = await service.loginAs(TAKER)
    }
  }
  t.equal((await caller.get('/api/auth/me')).status, 200, `${phase}: the taker is still logged in`)
  return seen
}

/** Starts an attempt at each test and saves several answers to each question. Both services get the same answers. */
async function begin(world: World, caller: Caller): Promise<Seen[]> {
  const seen: Seen[] = []
  const note = (route: string, response: ServiceResponse) =>
    seen.push({ route, phase: 'during', request: route, response })
  for (const slug of SLUGS) {
    const started = await caller.post(`/api/tests/${slug}/attempts`, { client_id: `start-${slug}` })
    note('POST /api/tests/{slug}/attempts', started)
    const { id, questions } = started.body.attempt as { id: number; questions: ApiQuestion[] }
    world.attempts.push(id)
    for (const question of [...questions].sort((a, b) => (a.question < b.question ? -1 : 1))) {
      const answers = [...(slug === SLUGS[0] ? MISFITS : []), ...answersTo(question)]
      for (const [index, answer] of answers.entries()) {
        const payload = { seq: index + 1, answer }
        const url = `/api/tests/attempts/${id}/answers/${question.slot}`
        note('PUT /api/tests/attempts/{id}/answers/{slot}', await caller.send({ method: 'PUT', url, payload }))
      }
    }
  }
  return seen
}

/** Answers of each form, which do not fit most questions; sent to each question of the first test */
const MISFITS = [{ option_ids: [] }, { item_ids: [] }, { text: 'Romu' }, { gaps: {} }]

/** Returns several answers that fit the question. */
function answersTo({ options = [], items = [], gaps = [] }: ApiQuestion): object[] {
  const byText = <T extends { text: string }>(parts: T[]) => [...parts].sort((a, b) => (a.text < b.text ? -1 : 1))
  const ids = byText(options).map(({ id }) => id)
  const order = byText(items).map(({ id }) => id)
  if (ids.length > 0) return [...ids.map((id) => ({ option_ids: [id] })), { option_ids: ids.slice(0, 2) }]
  if (order.length > 0) return [{ item_ids: order }, { item_ids: [...order].reverse() }]
  if (gaps.length > 0)
    return [{ gaps: Object.fromEntries(gaps.map(({ id, choices = ['achtzig'] }) => [id, choices[0]])) }]
  return ['Romu', '4711', '4812', '1.00'].map((text) => ({ text }))
}

async function submit(world: World, caller: Caller): Promise<Seen[]> {
  const seen: Seen[] = []
  for (const id of world.attempts) {
    const response = await caller.post(`/api/tests/attempts/${id}/submit`)
    seen.push({ route: 'POST /api/tests/attempts/{id}/submit', phase: 'after', request: 'submit', response })
  }
  return seen
}

async function live(world: World): Promise<Seen[]> {
  const { service } = world
  const taker = () => service.loginAs(TAKER)
  return [
    ...(await callAll(world, 'before')),
    ...(await begin(world, await taker())),
    ...(await callAll(world, 'during')),
    ...(await submit(world, await taker())),
    ...(await callAll(world, 'after')),
  ]
}

const RANDOM_HEADERS = ['date', 'set-cookie', 'x-request-id']

/**
 * Returns the part of a response that must be equal in both services: everything except random ids, random order and
 * times, which matter only if the text differs from that of the twin.
 */
function comparablePart({ status, headers, text, body }: ServiceResponse, twin: ServiceResponse) {
  const rest = Object.fromEntries(Object.entries(headers).filter(([name]) => !RANDOM_HEADERS.includes(name)))
  const told = () => withoutRandomParts(body === undefined ? text : JSON.stringify(sorted(body)))
  return { status, headers: rest, length: text.length, told: text === twin.text ? text : told() }
}

function withoutRandomParts(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
    .replaceAll(/"(id|of)":"[\w-]{8}"/g, '"$1":"random"')
    .replaceAll(/"(option_ids|item_ids)":\[[^\]]*\]/g, '"$1":"random"')
    .replaceAll(/"gaps":\{"[\w-]{8}":/g, '"gaps":{"random":')
    .replaceAll(/\{\{[\w-]{8}\}\}/g, '{{random}}')
    .replaceAll(/[\w-]{32,}/g, 'random')
}

/** Sorts lists of questions, options and items by their texts and masks the slots, because the order is random. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    const parts = value.map(sorted)
    return parts.every((part) => typeof part === 'object' && part !== null && ('text' in part || 'question' in part))
      ? parts.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
      : parts
  }
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, part]) => [key, key === 'slot' ? 'random' : sorted(part)])
  return Object.fromEntries(entries)
}

const keyOf = (part: unknown) => {
  const { question = '', text = '', attempt_id = 0 } = part as { question?: string; text?: string; attempt_id?: number }
  return `${attempt_id} ${question} ${text}`
}

t.test('a taker cannot tell from any response which option is right', async (t) => {
  const worlds = [await createWorld(t, 0), await createWorld(t, 1)] as const
  const [one, other] = [await live(worlds[0]), await live(worlds[1])]
  t.equal(one.length, other.length)
  const summary = new Map<string, Map<Phase, Set<number>>>()
  for (const [index, seen] of one.entries()) {
    const twin = other[index] as Seen
    const [told, twinTold] = [
      comparablePart(seen.response, twin.response),
      comparablePart(twin.response, seen.response),
    ]
    if (JSON.stringify(told) !== JSON.stringify(twinTold)) {
      t.strictSame(told, twinTold, `${seen.phase}: ${seen.request}`)
    }
    const phases = summary.get(seen.route) ?? new Map<Phase, Set<number>>()
    summary.set(seen.route, phases.set(seen.phase, (phases.get(seen.phase) ?? new Set()).add(told.status)))
    for (const { response } of [seen, twin]) {
      const found = SECRETS.filter((secret) => response.text.includes(secret))
      if (found.length > 0) t.strictSame(found, [], `${seen.phase}: ${seen.request}`)
    }
  }
  const routes = new Set(listOperations(worlds[0].service.app.swagger() as Json).map(({ route }) => route))
  t.strictSame(
    [...routes].filter((route) => !summary.has(route)),
    [],
    'every route was called',
  )
  t.ok(one.length > 500, `${one.length} responses`)
  for (const { log } of worlds) {
    t.not(log.length, 0)
    t.strictSame(
      log.filter((line) => SECRETS.some((secret) => line.includes(secret))),
      [],
      'the log contains no secret',
    )
  }
  if (!isPrinting) return
  for (const [route, phases] of summary) {
    const statuses = (['before', 'during', 'after'] as const).map(
      (phase) => [...(phases.get(phase) ?? [])].join('/') || '-',
    )
    process.stdout.write(`${route.padEnd(60)}${statuses.map((text) => text.padEnd(14)).join('')}\n`)
  }
})
