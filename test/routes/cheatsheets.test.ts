import { sql } from 'kysely'
import t from 'tap'
import { createCheatsheet } from '../support/factories.js'
import { errorBody, startService } from '../support/service.js'

const service = await startService(t)
const { db } = service
const member = await service.member()

t.afterEach(async () => {
  await db.deleteFrom('cheatsheets').execute()
})

const titles = (answer: { body: { cheatsheets: { title: string }[] } }) =>
  answer.body.cheatsheets.map((sheet) => sheet.title)
const search = (q: string) => member.get(`/api/cheatsheets/search?${new URLSearchParams({ q })}`)

t.test('lists sheets by category and title without their text', async (t) => {
  t.strictSame((await member.get('/api/cheatsheets')).body, { cheatsheets: [] })
  const values = [
    ['Übung', 'b'],
    ['Git', 'Zweige'],
    ['git', 'Ändern'],
    ['Git', 'anlegen'],
    ['Uhr', 'a'],
  ] as const
  for (const [category, title] of values) await createCheatsheet(db, { category, title })
  await createCheatsheet(db, { title: 'archiviert', archived_at: new Date() })
  const response = await member.get('/api/cheatsheets')
  t.strictSame(
    response.body.cheatsheets.map((sheet: Record<string, string>) => [sheet.category, sheet.title]),
    [
      ['git', 'Ändern'],
      ['Git', 'anlegen'],
      ['Git', 'Zweige'],
      ['Übung', 'b'],
      ['Uhr', 'a'],
    ],
  )
  t.strictSame(Object.keys(response.body.cheatsheets[0]), ['id', 'slug', 'title', 'category'])
})

t.test('writes the list as JSON.stringify does', async (t) => {
  const title = '"\\ /\b\f\n\r\t\u0001\u007f\u2028 ä 😀'
  const { id, slug } = await createCheatsheet(db, { title, category: "</script> '" })
  const { text, headers } = await member.get('/api/cheatsheets')
  t.equal(text, JSON.stringify({ cheatsheets: [{ id, slug, title, category: "</script> '" }] }))
  t.equal(headers['content-type'], 'application/json; charset=utf-8')
})

t.test('orders equal titles by id', async (t) => {
  for (const id of [30, 10, 20]) await createCheatsheet(db, { id, title: 'gleich' })
  const ids = (answer: { body: { cheatsheets: { id: number }[] } }) => answer.body.cheatsheets.map(({ id }) => id)
  t.strictSame(ids(await member.get('/api/cheatsheets')), [10, 20, 30])
  t.strictSame(ids(await search('gleich')), [10, 20, 30])
})

t.test('the route search takes precedence over a sheet with that slug', async (t) => {
  await createCheatsheet(db, { slug: 'search' })
  t.strictSame((await member.get('/api/cheatsheets/search')).body, errorBody(400, 'Mindestens 2 Zeichen'))
  t.match((await search('Text')).body, { cheatsheets: [{ slug: 'search' }], query: 'Text' })
})

t.test('search orders by title across categories', async (t) => {
  for (const [title, category] of [
    ['Öl', 'A'],
    ['oben', 'C'],
    ['Zaun', 'B'],
  ] as const) {
    await createCheatsheet(db, { title, category, content_md: 'gesucht' })
  }
  t.strictSame(titles(await search('GESUCHT')), ['oben', 'Öl', 'Zaun'])
})

t.test('search requires two characters, untrimmed', async (t) => {
  const tooShort = errorBody(400, 'Mindestens 2 Zeichen')
  t.strictSame((await member.get('/api/cheatsheets/search')).body, tooShort)
  for (const q of ['', 'x', '😀', 'ä']) t.strictSame((await search(q)).body, tooShort, q)
  for (const q of ['  ', '😀😀', '%%', 'xx']) t.equal((await search(q)).status, 200, q)
})

t.test('search finds text and title, case-insensitively, with umlauts', async (t) => {
  await createCheatsheet(db, { title: 'Zweite ÜBUNG', content_md: 'nichts' })
  await createCheatsheet(db, { title: 'Erste', content_md: 'mit einer übung darin' })
  await createCheatsheet(db, { title: 'Archiviert übung', archived_at: new Date() })
  const response = await search('Übung')
  t.strictSame(titles(response), ['Erste', 'Zweite ÜBUNG'])
  t.equal(response.body.query, 'Übung')
  t.strictSame(Object.keys(response.body.cheatsheets[0]), ['id', 'slug', 'title', 'category'])
  t.strictSame((await search('gibt es nicht')).body, { cheatsheets: [], query: 'gibt es nicht' })
})

t.test('percent and underscore are wildcards, a backslash is literal', async (t) => {
  await createCheatsheet(db, { title: 'A', content_md: 'eins zwei drei' })
  await createCheatsheet(db, { title: 'B', content_md: 'C:\\temp\\' })
  await createCheatsheet(db, { title: 'C', content_md: '100% sicher' })
  t.strictSame(titles(await search('eins%drei')), ['A'])
  t.strictSame(titles(await search('z_ei')), ['A'])
  t.strictSame(titles(await search(':\\t')), ['B'])
  t.strictSame(titles(await search('p\\')), ['B'])
  t.strictSame(titles(await search('\\%')), ['B'])
  t.strictSame(titles(await search('%%')), ['A', 'B', 'C'])
  t.strictSame((await search('nul\0')).body, { cheatsheets: [], query: 'nul\0' })
  t.strictSame(titles(await member.get('/api/cheatsheets/search?q=xx&q=eins')), ['A'])
})

t.test('search compares in NFC and returns the query as sent', async (t) => {
  const [composed, decomposed] = ['Ärger mit Übung', 'Ärger mit Übung'.normalize('NFD')]
  const sheet = await createCheatsheet(db, { title: 'A', content_md: decomposed })
  await createCheatsheet(db, { title: 'B', content_md: composed })
  await createCheatsheet(db, { title: decomposed.toUpperCase(), content_md: 'nichts' })
  await createCheatsheet(db, { title: 'D', content_md: 'Arger mit Ubung' })
  const found = ['A', decomposed.toUpperCase(), 'B']
  for (const q of ['ärger', 'ÜBUNG', 'Ä', 'rger%übu', '_rger mit üb'].map((text) => text.normalize('NFD'))) {
    const response = await search(q)
    t.strictSame(response.body.query, q)
    t.strictSame(new Set(titles(response)), new Set(found), q)
    if (q.normalize('NFC').length > 1) t.strictSame(titles(await search(q.normalize('NFC'))), titles(response), q)
  }
  t.equal((await member.get(`/api/cheatsheets/${sheet.slug}`)).body.cheatsheet.content_md, decomposed)
  t.match((await search('A\u0308')).body.cheatsheets.length, 3, 'two characters as they were sent')
  t.equal((await search('Ä')).status, 400)
})

t.test('search equals ILIKE in NFC for all letters with case', async (t) => {
  await sql`
    insert into cheatsheets (slug, title, content_md)
    select 'letter-' || code, code || '-' || chr(code) || '-x', 'y-' || chr(code) || '-' || code
    from generate_series(161, 131071) as code
    where code not between 55296 and 57343 and (lower(chr(code)) <> chr(code) or upper(chr(code)) <> chr(code))`.execute(
    db,
  )
  const { rows } = await sql<{ sheets: number; wrong: string[] }>`
    with questions as (
      select id, case when side = 1 then upper(letter) else lower(letter) end as q
      from cheatsheets, lateral (select split_part(content_md, '-', 2)) as content (letter), generate_series(1, 2) as side
    ), compared as (
      select slug, q,
        normalize(content_md) ilike '%-' || normalize(q) || '-%' as in_text,
        content like '%' || fold_text('-' || q || '-') || '%' as found_in_text,
        normalize(cheatsheets.title) ilike '%-' || normalize(q) || '-%' as in_title,
        texts.title like ('%' || fold_text(('-' || q || '-') collate "und-x-icu") || '%') collate "C" as found_in_title
      from questions join cheatsheets using (id) join cheatsheet_texts as texts on cheatsheet_id = id
    )
    select (select count(*) from cheatsheets) as sheets,
      array(select slug from compared where in_text <> found_in_text or in_title <> found_in_title) as wrong`.execute(
    db,
  )
  t.ok((rows[0]?.sheets ?? 0) > 2_000)
  t.strictSame(rows[0]?.wrong, [])
  for (const [q, slug] of [
    ['-ǆ-', 'letter-452'],
    ['-Ω-', 'letter-969'],
    ['-𐐀-', 'letter-66600'],
  ] as const) {
    t.ok(
      (await search(q)).body.cheatsheets.some((sheet: { slug: string }) => sheet.slug === slug),
      q,
    )
  }
})

t.test('folding equals the lower case of NFC for every character and its combinations', async (t) => {
  const { rows } = await sql<{ wrong: number[] }>`
    select array(
      select code
      from generate_series(1, 195103) as code,
        lateral (select 'A' || chr(code) || U&'\\0308' || chr(code) || U&'\\0323\\0301o') as sample (given)
      -- Surrogates are no characters; the ideographs from U+20000 to U+2F7FF have neither case nor decomposition.
      where code not between 55296 and 57343 and code not between 131072 and 194559
        and (fold_text(given) <> lower(normalize(given, nfc)) or fold_text(chr(code)) <> lower(normalize(chr(code), nfc))
          or fold_text('A' || chr(code)) <> lower(normalize('A' || chr(code), nfc)))
    ) as wrong`.execute(db)
  t.strictSame(rows[0]?.wrong, [])
})

t.test('a single sheet has every column', async (t) => {
  const sheet = await createCheatsheet(db, { content_md: '# Titel\n\n```sh\nls\n```\n' })
  t.strictSame((await member.get(`/api/cheatsheets/${sheet.slug}`)).body, {
    cheatsheet: {
      ...sheet,
      created_at: sheet.created_at.toISOString(),
      updated_at: sheet.updated_at.toISOString(),
    },
  })
  const archived = await createCheatsheet(db, { archived_at: new Date() })
  for (const slug of [archived.slug, 'unknown', 'x'.repeat(2000), '%00', 'a%2Fb']) {
    t.strictSame((await member.get(`/api/cheatsheets/${slug}`)).body, errorBody(404, 'Cheat Sheet nicht gefunden'))
  }
})
