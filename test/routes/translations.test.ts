import t, { type Test } from 'tap'
import { changeFiles, deckFile, writeContentFolder } from '../support/content.js'
import { createEditor, createSource, writeDeck } from '../support/editing.js'
import { unique } from '../support/factories.js'
import { startService } from '../support/service.js'
import { zipOf } from '../support/upload-packages.js'

const folder = await writeContentFolder(t, { 'decks/start.md': deckFile('Start', [{ id: 'a' }]) })
const service = await startService(t, { config: { contentDir: folder } })
const { db } = service
const admin = await service.admin()
const source = await createSource(db)
const editor = await createEditor(service, source)

const DECKS = '/api/content/decks'
const SHEETS = '/api/content/sheets'
const sheet = async (rest: object = {}) => {
  const body = { source_id: source, title: unique('Zettel'), category: 'Git', content_md: 'x', client_id: unique('id') }
  return editor.post(SHEETS, { ...body, ...rest })
}
const deckOf = async (slug: string) => {
  const { decks } = (await admin.get(DECKS)).body
  return decks.find((deck: { slug: string }) => deck.slug === slug)
}
/** Both kinds with the same rules: creates an item, changes it and reads it */
const KINDS = [
  {
    kind: 'deck',
    create: (rest: object = {}) => editor.post(DECKS, { source_id: source, name: unique('Deck'), ...rest }),
    change: (slug: string, body: object) => editor.patch(`${DECKS}/${slug}`, body),
    read: deckOf,
    isArchived: (item: { archived_at: string | null }) => item.archived_at !== null,
  },
  {
    kind: 'sheet',
    create: sheet,
    change: (slug: string, body: object) => editor.patch(`${SHEETS}/${slug}`, body),
    read: async (slug: string) => (await editor.get(`${SHEETS}/${slug}`)).body.sheet,
    isArchived: (item: { archived: boolean }) => item.archived,
  },
] as const

for (const { kind, create, change, read, isArchived } of KINDS) {
  const add = async (rest: object = {}): Promise<string> => (await create(rest)).body[kind].slug
  const refused = async (
    t: Test,
    field: string,
    message: RegExp,
    code: string,
    request: Promise<{ status: number; body: unknown; headers: Record<string, unknown> }>,
  ) => {
    const { status, body, headers } = await request
    t.equal(status, 400)
    t.match(body, { message })
    t.equal(headers['x-error-field'], field)
    t.equal(headers['x-error-code'], code)
  }

  t.test(`a ${kind} names its original, which lists its variants`, async (t) => {
    const original = await add()
    const { status, body } = await create({ lang: 'en-gb', translation_of: original })
    t.equal(status, 200)
    const variant = body[kind]
    t.match(variant, { lang: 'en-GB', translation_of: original })
    t.strictSame(variant.variants, [])
    const title = variant.title ?? variant.name
    t.match(await read(original), {
      lang: 'de',
      translation_of: null,
      variants: [{ slug: variant.slug, lang: 'en-GB', title }],
    })
    const late = await add({ lang: 'fr' })
    t.equal((await change(late, { translation_of: original })).status, 200)
    t.match(
      (await read(original)).variants.map(({ lang }: { lang: string }) => lang),
      ['en-GB', 'fr'],
    )
    const left = (await change(late, { translation_of: null })).body[kind]
    t.match(left, { lang: 'fr', translation_of: null })
    t.equal((await read(original)).variants.length, 1)
  })

  t.test(`a ${kind} is refused in a group that it cannot be in`, async (t) => {
    const original = await add()
    const variant = await add({ lang: 'en', translation_of: original })
    const other = await add({ lang: 'fr' })
    const to = (translation_of: string, rest: object = {}) => change(other, { translation_of, ...rest })
    await refused(t, 'translation_of', /selbst eine Variante/, 'original_is_variant', to(variant))
    await refused(t, 'translation_of', /auf sich selbst/, 'original_is_itself', to(other))
    await refused(t, 'translation_of', /gibt es nicht/, 'original_not_found', to('nirgends'))
    await refused(
      t,
      'translation_of',
      /gibt es nicht/,
      'original_not_found',
      create({ lang: 'fr', translation_of: 'nirgends' }),
    )
    await refused(
      t,
      'translation_of',
      /schon eine Variante hiervon/,
      'has_variants',
      change(original, { translation_of: other }),
    )
    await refused(t, 'lang', /gibt es schon/, 'language_taken', to(original, { lang: 'en' }))
    await refused(t, 'lang', /gibt es schon/, 'language_taken', to(original, { lang: 'de' }))
    await refused(t, 'lang', /gibt es schon/, 'language_taken', create({ lang: 'en', translation_of: original }))
    await refused(t, 'lang', /gibt es schon/, 'language_taken', change(original, { lang: 'en' }))
    await refused(t, 'lang', /Kürzel/, 'invalid_input', change(original, { lang: 'xx' }))
    await refused(t, 'lang', /Kürzel/, 'invalid_input', create({ lang: 'xx' }))
    const elsewhere = await createSource(db)
    const chief = await createEditor(service, source, elsewhere)
    const body =
      kind === 'deck'
        ? await chief.post(DECKS, { source_id: elsewhere, name: unique('Deck') })
        : await chief.post(SHEETS, {
            source_id: elsewhere,
            title: unique('Zettel'),
            category: 'Git',
            content_md: 'x',
            client_id: unique('id'),
          })
    await refused(t, 'translation_of', /anderen Quelle/, 'original_of_other_source', to(body.body[kind].slug))
    t.equal((await read(other)).translation_of, null)
  })

  t.test(`an archived original archives the variants of a ${kind}`, async (t) => {
    const original = await add()
    const variant = await add({ lang: 'en', translation_of: original })
    const other = await add({ lang: 'fr' })
    t.equal((await change(original, { archived: true })).status, 200)
    t.equal(isArchived(await read(variant)), true)
    await refused(t, 'archived', /Original ist archiviert/, 'original_archived', change(variant, { archived: false }))
    await refused(t, 'translation_of', /archiviert/, 'original_archived', change(other, { translation_of: original }))
    t.equal((await change(original, { archived: false })).status, 200)
    t.equal(isArchived(await read(variant)), true, 'stays archived until it is restored itself')
    t.equal((await change(variant, { archived: false })).status, 200)
    t.match(await read(variant), { translation_of: original })
  })

  t.test(`an archived variant of a ${kind} leaves the group when another takes its language`, async (t) => {
    const original = await add()
    const former = await add({ lang: 'en', translation_of: original })
    t.equal((await change(former, { archived: true })).status, 200)
    const next = await create({ lang: 'en', translation_of: original })
    t.equal(next.status, 200)
    t.match((await read(original)).variants, [{ slug: next.body[kind].slug }])
    t.match(await read(former), { lang: 'en', translation_of: null })
    t.equal((await change(former, { archived: false })).status, 200)
    await refused(t, 'lang', /gibt es schon/, 'language_taken', change(former, { translation_of: original }))
  })

  t.test(`of concurrent variants of a ${kind} in one language, one is created`, async (t) => {
    const original = await add()
    const answers = await Promise.all([1, 2, 3].map(() => create({ lang: 'en', translation_of: original })))
    t.strictSame(answers.map(({ status }) => status).sort(), [200, 400, 400])
    t.equal((await read(original)).variants.length, 1)
  })
}

t.test('a pool and an ordinary deck are not variants of each other', async (t) => {
  const pool = await writeDeck(editor, source, { tests_only: true })
  const deck = await writeDeck(editor, source)
  const ordinary = await editor.post(DECKS, { source_id: source, name: 'Pool', lang: 'en', translation_of: pool })
  t.match(ordinary, { status: 400, body: { message: /ist ein Fragenpool und dieses Deck nicht/ } })
  const secret = { source_id: source, name: 'Deck', lang: 'en', tests_only: true }
  const hidden = await editor.post(DECKS, { ...secret, translation_of: deck })
  t.match(hidden, { status: 400, body: { message: /ist kein Fragenpool/ } })
  t.equal((await editor.post(DECKS, { ...secret, translation_of: pool })).status, 200)
})

t.test('a change of the original raises the version of a deck', async (t) => {
  const original = await writeDeck(editor, source)
  const other = await writeDeck(editor, source, { lang: 'en' })
  const { body } = await editor.patch(`${DECKS}/${other}`, { translation_of: original, version: 1 })
  t.match(body.deck, { version: 2, translation_of: original })
  t.equal((await editor.patch(`${DECKS}/${other}`, { translation_of: null, version: 1 })).status, 409)
  t.match((await editor.patch(`${DECKS}/${other}`, { translation_of: original, version: 2 })).body.deck, { version: 2 })
})

const importFolder = () => admin.post('/api/admin/import?force=true')
const card = [{ id: 'a' }]
const SHEET = (head: string) => `---\ntitle: Zettel\n${head}---\nText\n`

t.test('the folder keeps groups, in any order of the files', async (t) => {
  await changeFiles(folder, {
    'decks/a-en.md': deckFile('Git in English', card, { lang: 'en', translation_of: 'git' }),
    'decks/git.md': deckFile('Git', card),
    'cheatsheets/a.md': SHEET('lang: en\ntranslation_of: log\n'),
    'cheatsheets/log.md': SHEET(''),
  })
  t.match((await importFolder()).body.stats, { decks: { created: 3 }, cheatsheets: { created: 2 } })
  t.match(await deckOf('git'), { variants: [{ slug: 'a-en', lang: 'en', title: 'Git in English' }] })
  t.match((await admin.get(`${SHEETS}/log`)).body.sheet.variants, [{ slug: 'a', lang: 'en' }])
  t.match((await importFolder()).body.stats, { decks: { updated: 0 }, cheatsheets: { updated: 0 } })

  // The languages are exchanged and another variant arrives.
  await changeFiles(folder, {
    'decks/a-en.md': deckFile('Git in English', card, { translation_of: 'git' }),
    'decks/git.md': deckFile('Git', card, { lang: 'en' }),
    'decks/b.md': deckFile('Git en français', card, { lang: 'fr', translation_of: 'git' }),
    'cheatsheets/a.md': SHEET('lang: en\n'),
  })
  t.match((await importFolder()).body.stats, { decks: { created: 1, updated: 2 }, cheatsheets: { updated: 1 } })
  t.match(await deckOf('git'), {
    lang: 'en',
    variants: [
      { slug: 'a-en', lang: 'de' },
      { slug: 'b', lang: 'fr' },
    ],
  })
  t.match((await admin.get(`${SHEETS}/a`)).body.sheet, { lang: 'en', translation_of: null })
})

t.test('a faulty group in the folder is a fault with its line, and nothing is imported', async (t) => {
  const before = await deckOf('git')
  await changeFiles(folder, {
    'decks/git.md': deckFile('Git', card),
    'decks/b.md': deckFile('Git en français', card, { lang: 'xx', translation_of: 'git' }),
  })
  t.match((await importFolder()).body.errors, [{ file: 'decks/b.md', line: 3, message: /Kürzel/ }])
  await changeFiles(folder, {
    'decks/a-en.md': deckFile('Git in English', card, { translation_of: 'git' }),
    'decks/b.md': deckFile('Git en français', card, { lang: 'fr', translation_of: 'a-en' }),
    'cheatsheets/a.md': SHEET('lang: en\ntranslation_of: nirgends\n'),
  })
  const { status, body } = await importFolder()
  t.equal(status, 400)
  t.match(body.errors, [
    { file: 'cheatsheets/a.md', line: 4, message: /„translation_of“ nennt „nirgends“, aber das gibt es nicht/ },
    { file: 'decks/a-en.md', line: 3, message: /„lang“ hat den Wert de, aber in dieser Sprache gibt es schon „git“/ },
    { file: 'decks/b.md', line: 4, message: /selbst eine Variante/ },
  ])
  t.strictSame(await deckOf('git'), before)
  await changeFiles(folder, {
    'cheatsheets/a.md': null,
    'decks/b.md': null,
    'decks/a-en.md': null,
    'decks/git.md': null,
  })
})

const upload = async (query: string, files: Record<string, string>) => {
  const headers = { 'content-type': 'application/octet-stream' }
  return admin.post(`/api/content/imports?${query}`, await zipOf(files), { headers })
}

t.test('an ordinary deck of the folder or an archive is no variant of a pool', async (t) => {
  const pool = { 'decks/p.md': deckFile('Pool', card, { tests_only: true }) }
  const files = { 'decks/p-en.md': deckFile('Pool', card, { lang: 'en', translation_of: 'p' }) }
  const fault = { file: 'decks/p-en.md', line: 4, message: /„translation_of“ nennt „p“, aber das ist ein Fragenpool/ }
  await changeFiles(folder, { ...pool, ...files })
  t.match((await importFolder()).body.errors, [fault])
  await changeFiles(folder, { 'decks/p.md': null, 'decks/p-en.md': null })
  const { body } = await upload('name=Pool', pool)
  t.match(await upload(`source=${body.source.id}`, files), { status: 400, body: { errors: [fault] } })
})

t.test('a renamed file of the folder takes the place of its archived row', async (t) => {
  const variant = deckFile('Git in English', card, { lang: 'en', translation_of: 'um' })
  await changeFiles(folder, {
    'decks/um.md': deckFile('Git', card),
    'decks/um-en.md': variant,
    'cheatsheets/um.md': SHEET(''),
    'cheatsheets/um-en.md': SHEET('lang: en\ntranslation_of: um\n'),
  })
  t.equal((await importFolder()).status, 200)
  const renamed = {
    'decks/um-en.md': null,
    'decks/um-english.md': variant,
    'cheatsheets/um-en.md': null,
    'cheatsheets/um-english.md': SHEET('lang: en\ntranslation_of: um\n'),
  }
  await changeFiles(folder, renamed)
  const { status, body } = await importFolder()
  t.equal(status, 200)
  t.match(body.stats, {
    decks: { created: 1, updated: 0, archived: 1 },
    cheatsheets: { created: 1, updated: 0, archived: 1 },
  })
  t.match(await deckOf('um'), { variants: [{ slug: 'um-english', lang: 'en' }] })
  t.match((await admin.get(`${SHEETS}/um`)).body.sheet.variants, [{ slug: 'um-english', lang: 'en' }])
  t.match((await importFolder()).body.stats, { decks: { updated: 0, archived: 0 }, cheatsheets: { updated: 0 } })
  // The former file comes back, and the other one goes.
  await changeFiles(folder, { 'decks/um-english.md': null, 'decks/um-en.md': variant })
  t.match((await importFolder()).body.stats, { decks: { updated: 1, archived: 1 } })
  t.match(await deckOf('um'), { variants: [{ slug: 'um-en', lang: 'en' }] })
  await changeFiles(folder, {
    'decks/um.md': null,
    'decks/um-en.md': null,
    'cheatsheets/um.md': null,
    'cheatsheets/um-english.md': null,
  })
})

t.test('a file of the folder whose original belongs to a source is skipped with a warning', async (t) => {
  const deck = (await editor.post(DECKS, { source_id: source, name: unique('Deck') })).body.deck.slug
  const taken = (await sheet()).body.sheet.slug
  await changeFiles(folder, {
    'decks/v.md': deckFile('Variante', card, { lang: 'en', translation_of: deck }),
    'decks/w.md': deckFile('Wirklich', card),
    'cheatsheets/v.md': SHEET(`lang: en\ntranslation_of: ${taken}\n`),
  })
  const { status, body } = await importFolder()
  t.equal(status, 200)
  t.match(body.stats, { decks: { created: 1 }, cheatsheets: { created: 0 } })
  t.match(body.stats.warnings, [
    { file: 'cheatsheets/v.md', line: 4, message: new RegExp(`Original „${taken}“ gehört der Quelle „.*wird nicht`) },
    { file: 'decks/v.md', line: 4, message: new RegExp(`Original „${deck}“ gehört der Quelle „.*wird nicht gelesen`) },
  ])
  // What is stored stays when its file gets such an original.
  await changeFiles(folder, {
    'decks/v.md': deckFile('Variante', card),
    'cheatsheets/v.md': SHEET(''),
  })
  t.match((await importFolder()).body.stats, { decks: { created: 1 }, cheatsheets: { created: 1 } })
  await changeFiles(folder, {
    'decks/v.md': deckFile('Variante', card, { lang: 'en', translation_of: deck }),
    'cheatsheets/v.md': SHEET(`lang: en\ntranslation_of: ${taken}\n`),
  })
  t.match((await importFolder()).body.stats, {
    decks: { archived: 0 },
    cards: { archived: 0 },
    cheatsheets: { archived: 0 },
  })
  t.match(await deckOf('v'), { lang: 'de', translation_of: null })
  await changeFiles(folder, { 'decks/v.md': null, 'decks/w.md': null, 'cheatsheets/v.md': null })
})

t.test('a group moves into a source as a whole', async (t) => {
  await changeFiles(folder, {
    'decks/g.md': deckFile('Gruppe', card),
    'decks/g-en.md': deckFile('Group', card, { lang: 'en', translation_of: 'g' }),
  })
  await importFolder()
  const { status } = await admin.send({
    method: 'POST',
    url: `/api/content/sources/${source}/adopt`,
    payload: { deck: 'g-en' },
  })
  t.equal(status, 200)
  t.match(await deckOf('g'), { source: { id: source }, variants: [{ slug: 'g-en' }] })
  t.match(await deckOf('g-en'), { source: { id: source }, translation_of: 'g' })
  await changeFiles(folder, { 'decks/g.md': null, 'decks/g-en.md': null })
})

t.test('an archive that mirrors its source renames a variant', async (t) => {
  const original = deckFile('Plan', card)
  const variant = deckFile('Roadmap', card, { lang: 'en', translation_of: 'plan' })
  const first = await upload('name=Plan', { 'decks/plan.md': original, 'decks/plan-en.md': variant })
  t.equal(first.status, 200)
  const files = { 'decks/plan.md': original, 'decks/roadmap.md': variant }
  const second = await upload(`source=${first.body.source.id}&mirror=true`, files)
  t.equal(second.status, 200)
  t.match(second.body.stats.decks, { created: 1, updated: 0, archived: 1, unchanged: 1 })
  t.match(await deckOf('plan'), { variants: [{ slug: 'roadmap', lang: 'en' }] })
  t.match(await deckOf('plan-en'), { translation_of: null })
})

t.test('an upload keeps the group of a sheet that was changed in the browser, unless the file is to win', async (t) => {
  const files = { 'cheatsheets/eins.md': SHEET(''), 'cheatsheets/one.md': SHEET('lang: en\ntranslation_of: eins\n') }
  const { id } = (await upload('name=Eins', files)).body.source
  const read = async () => (await admin.get(`${SHEETS}/one`)).body.sheet
  t.match(await read(), { translation_of: 'eins' })
  t.equal((await admin.patch(`${SHEETS}/one`, { lang: 'fr', translation_of: null })).status, 200)
  const ours = (await upload(`source=${id}`, files)).body
  t.match(ours.stats.cheatsheets, { updated: 0, unchanged: 2 })
  t.match(ours.edited, { total: 1, cheatsheets: [{ slug: 'one', keep: 'ours' }] })
  t.match(await read(), { lang: 'fr', translation_of: null })
  const theirs = (await upload(`source=${id}&keep=theirs`, files)).body
  t.match(theirs.stats.cheatsheets, { updated: 1, unchanged: 1 })
  t.match(theirs.edited, { total: 1, cheatsheets: [{ slug: 'one', keep: 'theirs' }] })
  t.strictSame(theirs.groups, [{ kind: 'sheet', slug: 'one', name: 'Zettel', lang: 'en', translation_of: 'eins' }])
  t.match(await read(), { lang: 'en', translation_of: 'eins', changed_here: false })
})

t.test('a variant with a kept edit outlives an original that a mirror archives', async (t) => {
  const variant = SHEET('lang: en\ntranslation_of: weg\n')
  const { id } = (await upload('name=Weg', { 'cheatsheets/weg.md': SHEET(''), 'cheatsheets/way.md': variant })).body
    .source
  t.equal((await admin.patch(`${SHEETS}/way`, { version: 1, content_md: 'Geändert' })).status, 200)
  const { status } = await upload(`source=${id}&mirror=true&force=true`, { 'cheatsheets/way.md': variant })
  t.equal(status, 200)
  t.match((await admin.get(`${SHEETS}/weg`)).body.sheet, { archived: true })
  t.match((await admin.get(`${SHEETS}/way`)).body.sheet, { archived: false, lang: 'en', translation_of: null })
})

t.test('an archive attaches a late variant, and its export keeps the group', async (t) => {
  const files = { 'decks/netz.md': deckFile('Netz', card), 'cheatsheets/ip.md': SHEET('') }
  const first = await upload('name=Netz', files)
  t.equal(first.status, 200)
  const { id } = first.body.source
  const late = {
    'decks/net.md': deckFile('Networks', card, { lang: 'en', translation_of: 'netz' }),
    'cheatsheets/ip-en.md': SHEET('lang: en\ntranslation_of: ip\n'),
  }
  t.strictSame((await upload(`source=${id}`, late)).body.groups, [], 'what is new is not regrouped')
  t.match(await deckOf('netz'), { variants: [{ slug: 'net', lang: 'en', title: 'Networks' }] })
  const exported = await service.app.inject({
    url: `/api/content/export?source=${id}`,
    headers: { cookie: admin.cookie ?? '' },
  })
  t.equal(exported.statusCode, 200)
  const headers = { 'content-type': 'application/octet-stream' }
  const again = await admin.post(`/api/content/imports?source=${id}&mirror=true`, exported.rawPayload, { headers })
  t.match(again.body.stats, { decks: { updated: 0, unchanged: 2 }, cheatsheets: { updated: 0, unchanged: 2 } })
  const copy = await admin.post('/api/content/imports?name=Kopie', exported.rawPayload, { headers })
  t.equal(copy.status, 200)
  const decks = (await admin.get(`${DECKS}?source=${copy.body.source.id}`)).body.decks
  t.match(
    decks.find(({ lang }: { lang: string }) => lang === 'de'),
    { slug: 'netz-2', variants: [{ slug: 'net-2', lang: 'en' }] },
  )
  const apart = await upload(`source=${id}`, { 'decks/net.md': deckFile('Networks', card, { lang: 'en' }) })
  t.equal(apart.body.stats.decks.updated, 1)
  t.strictSame(apart.body.groups, [{ kind: 'deck', slug: 'net', name: 'Networks', lang: 'en', translation_of: null }])
  t.strictSame((await deckOf('netz')).variants, [])
  const unknown = await upload(`source=${id}`, {
    'decks/net.md': deckFile('Networks', card, { lang: 'en', translation_of: 'git' }),
  })
  t.equal(unknown.status, 400)
})
