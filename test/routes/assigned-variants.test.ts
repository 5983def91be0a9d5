import { hash } from 'node:crypto'
import t from 'tap'
import { ASSIGNMENT } from '../support/assignments.js'
import { changeFiles, writeContentFolder } from '../support/content.js'
import { createUser, unique } from '../support/factories.js'
import type { Json } from '../support/openapi.js'
import { type Caller, startService } from '../support/service.js'

const QUESTION = (id: string, lang: string) => `
## ${id} ${lang}?
<!-- id: ${id}; level: pflicht -->

### Antwort
Ja

- [x] Ja
- [ ] Nein
`
const variantOf = (original: string, lang: string) => `lang: ${lang}\ntranslation_of: ${original}\n`
const deck = (name: string, ids: string[], lang = 'de', original?: string) =>
  `---\nname: ${name}\n${original === undefined ? '' : variantOf(original, lang)}---\n${ids.map((id) => QUESTION(id, lang)).join('')}`
const sheet = (title: string, lang = 'de', original?: string) =>
  `---\ntitle: ${title}\ncategory: Sicherheit\n${original === undefined ? '' : variantOf(original, lang)}---\n# ${title}\n\nText ${lang}\n`
const exam = (name: string, lang: string, original: string) =>
  `---\nname: ${name}\n${variantOf(original, lang)}---\nGo.\n`

const FILES = {
  'decks/brand.md': deck('Brand', ['a', 'b']),
  'decks/fire.md': deck('Fire', ['a'], 'en', 'brand'),
  'decks/yangin.md': deck('Yangın', ['a', 'b'], 'tr', 'brand'),
  'decks/fragen.md': deck('Fragen', ['a', 'b']),
  'decks/questions.md': deck('Questions', ['a', 'b'], 'en', 'fragen'),
  'cheatsheets/merkblatt.md': sheet('Merkblatt'),
  'cheatsheets/leaflet.md': sheet('Leaflet', 'en', 'merkblatt'),
  'tests/pruefung.md':
    '---\nname: Prüfung\nattempts: 3\naccess: assigned\nsections:\n  - { deck: fragen, draw: 2 }\n---\nLos.\n',
  'tests/exam.md': exam('Exam', 'en', 'pruefung'),
}

let now = new Date('2026-12-05T10:00:00Z')
const folder = await writeContentFolder(t, FILES)
const service = await startService(t, { now: () => now, config: { contentDir: folder } })
const { db } = service
const admin = await service.admin()
const imported = await admin.post('/api/admin/import')
if (imported.status !== 200) throw new Error(imported.text)

const SHEET = { kind: 'sheet', slug: 'merkblatt' }
const TEST = { kind: 'test', slug: 'pruefung' }
const DECK = { kind: 'deck', slug: 'brand', share_percent: 100 }

function assign(user: { id: number }, parts: object[], rest: object = {}) {
  return admin.post('/api/assignments', { ...ASSIGNMENT, parts, audience: { user_ids: [user.id] }, ...rest })
}

async function createPerson(language: 'de' | 'en' | null = null) {
  const user = await createUser(db)
  const caller = await service.loginAs(user.username)
  if (language !== null) await caller.patch('/api/accounts/me', { language })
  const mine = async (accepted?: string): Promise<Json> => {
    const headers = accepted === undefined ? {} : { 'accept-language': accepted }
    return (await caller.get('/api/assignments/mine', { headers })).body.occurrences[0]
  }
  return { ...user, caller, mine }
}

async function start(caller: Caller, slug: string): Promise<Json> {
  const { status, body } = await caller.post(`/api/tests/${slug}/attempts`, { client_id: unique('client') })
  return { status, message: body.message, ...body.attempt }
}

async function submit(caller: Caller, { id, questions }: Json, isRight: boolean): Promise<Json> {
  for (const { slot, options } of questions) {
    const { id: option } = options.find(({ text }: { text: string }) => (text === 'Ja') === isRight)
    const payload = { seq: 1, answer: { option_ids: [option] } }
    await caller.send({ method: 'PUT', url: `/api/tests/attempts/${id}/answers/${slot}`, payload })
  }
  return (await caller.post(`/api/tests/attempts/${id}/submit`)).body.attempt
}

async function learn(caller: Caller, slug: string, count?: number): Promise<void> {
  const cards = await db
    .selectFrom('cards')
    .innerJoin('decks', 'decks.id', 'deck_id')
    .select('cards.id')
    .where('slug', '=', slug)
    .orderBy('cards.id')
    .execute()
  for (const { id } of cards.slice(0, count)) await caller.post('/api/review', { card_id: id, rating: 'medium' })
  await db
    .updateTable('review_log')
    .set({ created_at: now } as object)
    .where('created_at', '>', now)
    .execute()
}

t.test('an assignment names the original', async (t) => {
  const person = await createPerson()
  for (const [part, original] of [
    [{ kind: 'sheet', slug: 'leaflet' }, 'merkblatt'],
    [{ kind: 'test', slug: 'exam' }, 'pruefung'],
    [{ kind: 'deck', slug: 'fire' }, 'brand'],
  ] as const) {
    const { status, body, headers } = await assign(person, [SHEET, part])
    t.equal(status, 400)
    t.equal(
      body.message,
      `„${part.slug}“ ist eine Variante; nimm das Original „${original}“, dann bekommt es jede Person in ihrer Sprache`,
    )
    t.equal(headers['x-error-code'], 'part_is_variant')
    t.equal(headers['x-error-field'], 'parts/1/slug')
    t.strictSame(JSON.parse(String(headers['x-error-details'])), { original })
  }
  t.equal(await person.mine(), undefined)
})

t.test('a part is shown in the language of the person, with its other languages', async (t) => {
  const person = await createPerson()
  await assign(person, [SHEET, TEST, DECK, { kind: 'personal', title: 'Gespräch' }])
  const partsFor = async (accepted?: string) => (await person.mine(accepted)).parts
  const german = { slug: 'merkblatt', lang: 'de', title: 'Merkblatt' }
  const english = { slug: 'leaflet', lang: 'en', title: 'Leaflet' }
  t.match(await partsFor(), [
    { kind: 'sheet', ...german },
    { kind: 'test', slug: 'pruefung', lang: 'de', title: 'Prüfung' },
    { kind: 'deck', slug: 'brand', lang: 'de', title: 'Brand' },
    { kind: 'personal', slug: null, lang: null, title: 'Gespräch' },
  ])
  const [read, taken, learnt, personal] = await partsFor('en-US,de;q=0.5')
  t.match(read, english)
  t.strictSame(read.variants, [german])
  t.match(taken, { slug: 'exam', lang: 'en', title: 'Exam', available: true })
  t.match(learnt, { slug: 'fire', lang: 'en', share_percent: 100 })
  t.strictSame(learnt.variants, [
    { slug: 'brand', lang: 'de', title: 'Brand' },
    { slug: 'yangin', lang: 'tr', title: 'Yangın' },
  ])
  t.strictSame(personal.variants, [])
  t.match(
    (await partsFor('tr,en;q=0.5')).map(({ slug }: { slug: string }) => slug),
    ['leaflet', 'exam', 'yangin', null],
    'the app has no Turkish, but the deck has',
  )
  t.match(await partsFor('fr'), [german])
  await person.caller.patch('/api/accounts/me', { language: 'de' })
  t.match(await partsFor('en'), [german], 'the setting of the account comes first')
  const { body } = await admin.get(`/api/assignments/${(await person.mine()).assignment.id}`)
  t.match(body.assignment.parts, [SHEET, TEST, { slug: 'brand' }], 'overseers see the original')
  t.notOk('variants' in body.assignment.parts[0])
})

t.test('a test passed in any language is done, and attempts count over all languages', async (t) => {
  const person = await createPerson()
  const { caller } = person
  await assign(person, [TEST])
  await submit(caller, await start(caller, 'pruefung'), false)
  t.match((await caller.get('/api/tests/exam')).body.test, { attempts_left: 2, passed: false })
  await submit(caller, await start(caller, 'exam'), false)
  const { test } = (await caller.get('/api/tests/pruefung')).body
  t.match(test, { attempts_left: 1, passed: false })
  t.match(test.my_attempts, [
    { number: 2, slug: 'exam', lang: 'en' },
    { number: 1, slug: 'pruefung', lang: 'de' },
  ])
  const { body: first } = await caller.get('/api/tests/pruefung?limit=1')
  t.match(first.test.my_attempts, [{ number: 2 }])
  const { body: second } = await caller.get(`/api/tests/pruefung?limit=1&after=${first.next_after}`)
  t.match(second, { test: { my_attempts: [{ number: 1 }] }, next_after: null })
  t.match((await person.mine()).parts, [{ state: 'open' }])
  t.match(await submit(caller, await start(caller, 'exam'), true), { passed: true })
  const occurrence = await person.mine()
  t.match(occurrence, { state: 'done', parts: [{ state: 'done' }] })
  t.match((await caller.get('/api/tests/pruefung')).body.test, { passed: true })
})

t.test('attempts in all languages use up the number of attempts', async (t) => {
  const person = await createPerson()
  const { caller } = person
  await assign(person, [TEST])
  for (const slug of ['exam', 'pruefung', 'exam']) await submit(caller, await start(caller, slug), false)
  for (const slug of ['exam', 'pruefung']) {
    t.match(await start(caller, slug), { status: 409, message: 'Kein Versuch mehr übrig' })
  }
  const { assignment } = await person.mine()
  const [row] = (await admin.get(`/api/assignments/${assignment.id}/occurrences`)).body.occurrences
  await admin.patch(`/api/assignments/${assignment.id}`, { responsible_id: admin.id })
  const granted = await admin.post(`/api/assignments/occurrences/${row.id}/grant-attempt`, { reason: 'Störung' })
  t.equal(granted.status, 200)
  const attempt = await start(caller, 'pruefung')
  t.match(attempt, { status: 200, number: 4 }, 'a granted attempt may be taken in any language')
})

t.test('an open attempt keeps its language', async (t) => {
  const person = await createPerson()
  const { caller } = person
  await assign(person, [TEST])
  const attempt = await start(caller, 'pruefung')
  t.match(attempt, { status: 200, slug: 'pruefung', lang: 'de' })
  t.match(await start(caller, 'exam'), { id: attempt.id, slug: 'pruefung', lang: 'de', state: 'open' })
  await caller.patch('/api/accounts/me', { language: 'en' })
  t.match((await person.mine()).parts, [{ slug: 'pruefung', lang: 'de', variants: [{ slug: 'exam' }] }])
  t.match((await caller.get('/api/tests/exam')).body.test, { open_attempt_id: attempt.id })
  await submit(caller, attempt, false)
  t.match((await person.mine()).parts, [{ slug: 'exam', lang: 'en', variants: [{ slug: 'pruefung' }] }])
  t.match(await start(caller, 'exam'), { number: 2, slug: 'exam' })
})

t.test('concurrent starts in several languages make one attempt', async (t) => {
  const person = await createPerson()
  await assign(person, [TEST])
  const slugs = Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? 'exam' : 'pruefung'))
  const attempts = await Promise.all(slugs.map((slug) => start(person.caller, slug)))
  t.strictSame([...new Set(attempts.map(({ status }) => status))], [200])
  t.equal(new Set(attempts.map(({ id }) => id)).size, 1)
})

t.test('the waiting time counts over all languages, and solutions stay hidden', async (t) => {
  await changeFiles(folder, {
    'tests/warten.md':
      '---\nname: Warten\nattempts: 2\nwait_minutes: 60\nsections:\n  - { deck: fragen, draw: 1 }\n---\nLos.\n',
    'tests/wait.md': exam('Wait', 'en', 'warten'),
  })
  t.equal((await admin.post('/api/admin/import')).status, 200)
  const { caller } = await createPerson()
  const first = await start(caller, 'warten')
  await submit(caller, first, false)
  t.match(await start(caller, 'wait'), { status: 409, message: /^Nächster Versuch ab 05\.12\.2026/ })
  const review = () => caller.get(`/api/tests/attempts/${first.id}/review`)
  t.equal((await review()).status, 403)
  now = new Date('2026-12-05T11:00:00Z')
  const second = await start(caller, 'wait')
  t.match(second, { status: 200, number: 2 })
  t.equal((await review()).status, 403, 'an attempt in another language is open')
  await submit(caller, second, false)
  t.equal((await review()).status, 200, 'no attempt is left in any language')
  const counted = await db
    .selectFrom('question_sums')
    .innerJoin('test_questions', 'test_questions.id', 'question_id')
    .innerJoin('tests', 'tests.id', 'test_id')
    .select('slug')
    .distinct()
    .where('slug', 'in', ['warten', 'wait'])
    .execute()
  t.strictSame(counted, [{ slug: 'warten' }], 'the statistics count the first attempt in its language')
  now = new Date('2026-12-05T10:00:00Z')
})

t.test('a deck is done in the language with the most progress, also with fewer cards', async (t) => {
  const person = await createPerson()
  const { caller } = person
  await assign(person, [DECK])
  await learn(caller, 'brand', 1)
  await learn(caller, 'yangin', 1)
  t.match((await person.mine()).parts, [{ state: 'open' }], 'halves do not add up')
  await learn(caller, 'fire')
  t.match(await person.mine('de'), { state: 'done', parts: [{ state: 'done', slug: 'brand' }] })
  const done = await db
    .selectFrom('occurrence_parts')
    .innerJoin('occurrences', 'occurrences.id', 'occurrence_id')
    .select('lang')
    .where('user_id', '=', person.id)
    .execute()
  t.strictSame(done, [{ lang: 'en' }])
})

t.test('in an ordered assignment, a part in another language opens the next one', async (t) => {
  const person = await createPerson()
  const { caller } = person
  await assign(person, [DECK, TEST, SHEET], { ordered: true })
  const lockedOf = async () => (await person.mine()).parts.map(({ locked }: { locked: boolean }) => locked)
  t.strictSame(await lockedOf(), [false, true, true])
  await learn(caller, 'yangin')
  t.strictSame(await lockedOf(), [false, false, true])
  await submit(caller, await start(caller, 'exam'), true)
  t.strictSame(await lockedOf(), [false, false, false])
})

t.test('the confirmation of a sheet names the language that was read', async (t) => {
  const languageOf = async (id: number) => {
    const { rows } = await db
      .getExecutor()
      .executeQuery<{ lang: string; slug: string; sheet_version: number }>(
        db
          .selectFrom('occurrence_parts')
          .innerJoin('cheatsheets', 'cheatsheets.id', 'content_id')
          .select(['lang', 'slug', 'sheet_version'])
          .where('occurrence_id', '=', id)
          .compile(),
      )
    return rows
  }
  const confirm = async (given: object, accepted?: string) => {
    const person = await createPerson()
    await assign(person, [SHEET])
    const { id } = await person.mine()
    const headers = accepted === undefined ? {} : { 'accept-language': accepted }
    const url = `/api/assignments/occurrences/${id}/confirm`
    const { status, headers: sent } = await person.caller.post(url, { part: 0, ...given }, { headers })
    return { status, field: sent['x-error-field'], read: await languageOf(id) }
  }
  t.match(await confirm({}), { status: 200, read: [{ lang: 'de', slug: 'merkblatt' }] })
  t.match(await confirm({}, 'en'), { status: 200, read: [{ lang: 'en', slug: 'leaflet', sheet_version: 1 }] })
  t.match(await confirm({ lang: 'de' }, 'en'), { status: 200, read: [{ lang: 'de' }] }, 'switched in place')
  t.match(await confirm({ lang: 'EN', version: 1 }), { status: 200, read: [{ lang: 'en' }] })
  for (const lang of ['tr', '', 'x'.repeat(100)]) {
    t.match(await confirm({ lang }), { status: 400, field: 'lang', read: { length: 0 } })
  }
  await changeFiles(folder, { 'cheatsheets/leaflet.md': `${sheet('Leaflet', 'en', 'merkblatt')}\nMore.\n` })
  await admin.post('/api/admin/import')
  t.match(await confirm({ version: 1 }, 'en'), { status: 409, field: 'version' }, 'the text in that language changed')
  t.match(await confirm({ version: 1 }), { status: 200, read: [{ lang: 'de' }] })
})

t.test('a proof names the language of each part and the title in that language', async (t) => {
  const person = await createPerson('en')
  const { caller } = person
  const proofOf = async (given: Json) =>
    (await service.anonymous.get(`/api/proofs/verify/${given.proof_code}`)).body.proof
  await assign(person, [SHEET, TEST, DECK])
  const { id } = await person.mine()
  await caller.post(`/api/assignments/occurrences/${id}/confirm`, { part: 0 })
  await submit(caller, await start(caller, 'exam'), true)
  await learn(caller, 'brand')
  const proof = await proofOf(await person.mine())
  t.match(proof.parts, [
    { kind: 'sheet', title: 'Merkblatt', lang: 'en', variant_title: 'Leaflet', version: Number },
    { kind: 'test', title: 'Prüfung', lang: 'en', variant_title: 'Exam', version: 1 },
    { kind: 'deck', title: 'Brand', lang: 'de', variant_title: null },
  ])
  const stored = await db
    .selectFrom('proofs')
    .select('snapshot')
    .where('code', '=', proof.code)
    .executeTakeFirstOrThrow()
  const { content_md, title } = await db
    .selectFrom('cheatsheets')
    .select(['title', 'content_md'])
    .where('slug', '=', 'leaflet')
    .executeTakeFirstOrThrow()
  const { format, parts } = JSON.parse(stored.snapshot)
  t.equal(format, 3)
  t.equal(parts[0].sha256, hash('sha256', `${title}\n${content_md}`), 'the text that was read')
  t.match(parts[1], { pass_percent: 80, sha256: /^[0-9a-f]{64}$/ })
  for (const lang of ['de', 'en']) t.equal((await caller.get(`/api/proofs/${proof.code}.pdf?lang=${lang}`)).status, 200)

  const german = await createPerson()
  await assign(german, [SHEET, { kind: 'deck', slug: 'brand' }])
  const url = `/api/assignments/occurrences/${(await german.mine()).id}/confirm`
  await german.caller.post(url, { part: 0 })
  await learn(german.caller, 'fire')
  t.match((await proofOf(await german.mine())).parts, [
    { title: 'Merkblatt', lang: 'de', variant_title: null },
    { title: 'Brand', lang: 'en', variant_title: 'Fire' },
  ])
})

t.test('a proof keeps the language of a variant that was deleted', async (t) => {
  const person = await createPerson('en')
  await assign(person, [SHEET, { kind: 'personal', title: 'Gespräch' }])
  const { id, assignment } = await person.mine()
  await person.caller.post(`/api/assignments/occurrences/${id}/confirm`, { part: 0 })
  await db.updateTable('occurrence_parts').set({ content_id: 999_999 }).where('occurrence_id', '=', id).execute()
  await admin.patch(`/api/assignments/${assignment.id}`, { responsible_id: admin.id })
  const held = { ids: [id], held_on: '2026-12-05' }
  t.equal((await admin.post('/api/assignments/occurrences/confirm-personal', held)).status, 200)
  const { proof_code } = await person.mine()
  t.match((await service.anonymous.get(`/api/proofs/verify/${proof_code}`)).body.proof.parts, [
    { title: 'Merkblatt', lang: 'en', variant_title: null, version: null },
    { kind: 'personal', lang: null, variant_title: null },
  ])
})

t.test('the language that the person has chosen for the content comes first', async (t) => {
  const person = await createPerson('en')
  const { caller } = person
  await assign(person, [SHEET, TEST, DECK])
  const choose = (path: string, lang: string | null) =>
    caller.send({ method: 'PUT', url: `/api/variants/${path}`, payload: { lang } })
  for (const [path, lang] of [
    ['sheets/leaflet', 'de'],
    ['tests/exam', 'de'],
    ['decks/fire', 'tr'],
  ] as const) {
    t.equal((await choose(path, lang)).status, 200)
  }
  const { id, parts } = await person.mine()
  t.match(parts, [{ lang: 'de' }, { lang: 'de' }, { lang: 'tr' }])
  t.notOk('chosen' in parts[0])
  const attempt = await start(caller, 'pruefung')
  await choose('tests/exam', 'en')
  t.match((await person.mine()).parts, [{}, { lang: 'de' }, {}], 'an open attempt keeps its language')
  await submit(caller, attempt, false)
  await choose('decks/fire', null)
  t.match((await person.mine()).parts, [{}, { lang: 'en' }, { lang: 'en' }])
  await caller.post(`/api/assignments/occurrences/${id}/confirm`, { part: 0 })
  const done = await db.selectFrom('occurrence_parts').select('lang').where('occurrence_id', '=', id).execute()
  t.strictSame(done, [{ lang: 'de' }])
})

t.test('an archived original is not available in any language', async (t) => {
  const person = await createPerson('en')
  const { caller } = person
  await assign(person, [SHEET, TEST, DECK])
  await learn(caller, 'fire')
  const attempt = await start(caller, 'exam')
  const without = Object.keys(FILES).filter((file) => !/fragen|questions/.test(file))
  await changeFiles(folder, Object.fromEntries(without.map((file) => [file, null])))
  t.equal((await admin.post('/api/admin/import?force=true')).status, 200)
  const { parts, state } = await person.mine()
  t.equal(state, 'open')
  t.match(parts, [
    { slug: 'merkblatt', available: false, state: 'open' },
    { slug: 'pruefung', available: false, state: 'open' },
    { slug: 'brand', available: false, state: 'open' },
  ])
  for (const part of parts) t.strictSame(part.variants, [])
  t.match(await submit(caller, attempt, true), { passed: true }, 'an open attempt can be finished')
  t.match((await person.mine()).parts, [{ state: 'open' }, { state: 'done' }, { state: 'open' }])
  await changeFiles(folder, FILES)
  await admin.post('/api/admin/import?force=true')
  t.match((await person.mine()).parts, [{ slug: 'leaflet' }, { state: 'done' }, { state: 'done' }])
})

t.test('an assigned item that becomes a variant is assigned as its original', async (t) => {
  await changeFiles(folder, { 'cheatsheets/allein.md': sheet('Allein'), 'cheatsheets/original.md': sheet('Original') })
  await admin.post('/api/admin/import')
  const [reader, other] = [await createPerson(), await createPerson()]
  const parts = [
    { kind: 'sheet', slug: 'allein' },
    { kind: 'personal', title: 'Gespräch' },
  ]
  for (const person of [reader, other]) await assign(person, parts)
  await reader.caller.post(`/api/assignments/occurrences/${(await reader.mine()).id}/confirm`, { part: 0 })
  await changeFiles(folder, { 'cheatsheets/allein.md': sheet('Alone', 'en', 'original') })
  t.equal((await admin.post('/api/admin/import')).status, 200)
  t.match((await other.mine()).parts, [{ slug: 'original', variants: [{ slug: 'allein', lang: 'en' }] }, {}])
  t.match((await reader.mine()).parts, [{ slug: 'original', state: 'done' }, {}])
  const { body } = await admin.get(`/api/assignments/${(await other.mine()).assignment.id}`)
  t.match(body.assignment.parts, [{ slug: 'original' }, {}])
})

t.test('parts whose original was deleted are not available, and what was done stays', async (t) => {
  const person = await createPerson('en')
  const { caller } = person
  const parts = [SHEET, TEST, DECK, { kind: 'personal', title: 'Gespräch' }]
  await assign(person, parts)
  const { id, assignment } = await person.mine()
  await caller.post(`/api/assignments/occurrences/${id}/confirm`, { part: 0 })
  const attempt = await start(caller, 'exam')
  await db.deleteFrom('cheatsheets').where('slug', '=', 'merkblatt').execute()
  await db.deleteFrom('tests').where('slug', '=', 'pruefung').execute()
  await db.deleteFrom('decks').where('slug', '=', 'brand').execute()
  const gone = { slug: null, lang: null, available: false }
  t.match((await person.mine()).parts, [
    { ...gone, state: 'done', title: 'Merkblatt' },
    { ...gone, state: 'open', title: 'Prüfung' },
    { ...gone, state: 'open', title: 'Brand' },
    { kind: 'personal', available: true },
  ])
  t.match(await submit(caller, attempt, true), { passed: true }, 'an attempt at a variant can be finished')
  await learn(caller, 'fire')
  t.match((await person.mine()).parts, [{ state: 'done' }, { state: 'open' }, { state: 'open' }, { state: 'open' }])
  await admin.patch(`/api/assignments/${assignment.id}`, { responsible_id: admin.id })
  const excused = await admin.post(`/api/assignments/occurrences/${id}/exempt`, { reason: 'Inhalt gelöscht' })
  t.equal(excused.status, 200)
  t.match(await person.mine(), { state: 'exempt' })
})
