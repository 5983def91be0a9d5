import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Kysely } from 'kysely'
import t from 'tap'
import type { Database } from '../../../../db/types.js'
import { commandLineActor } from '../../../../src/commands/actor.js'
import { EMPTY_TEXTS } from '../../../../src/domain/content/card-texts.js'
import { type Exercise, type ExerciseInput, FORMS, parseExercise } from '../../../../src/domain/questions/exercise.js'
import { writeExport } from '../../../../src/services/content/exports/write-export.js'
import { checkUpload, importUpload } from '../../../../src/services/content/upload/import.js'
import type { UploadReport } from '../../../../src/services/content/upload/report.js'
import { drawTexts } from '../../../support/card-texts.js'
import { createMigratedDatabase } from '../../../support/database.js'
import { createSource } from '../../../support/editing.js'
import { createCard, createCheatsheet, createDeck } from '../../../support/factories.js'
import { unzip } from '../../../support/packages.js'
import { gifOf, targetOf } from '../../../support/pictures.js'
import fc, { runs } from '../../../support/property.js'

const [home, away] = [await createMigratedDatabase(), await createMigratedDatabase()]
t.teardown(async () => {
  await home.close()
  await away.close()
})
const scratch = await mkdtemp(path.join(tmpdir(), 'svc-training-test-'))
t.teardown(() => rm(scratch, { recursive: true }))

const PICTURE = gifOf('picture')
const pieces = fc.constantFrom(
  ...['Text', '# a', '## b', '### Antwort', '```', '~~~', '<!--', '-->', '<div>', '- [x] a', '- [ ] b', '* c', '1. d'],
  ...['> q', '    code', '', ' ', '[x]: y', '\\', '; |', `![Bild](${targetOf(PICTURE)})`, '---', 'ä€😀'],
)
const text = fc
  .array(pieces, { minLength: 1, maxLength: 5 })
  .map((lines) => lines.join('\n').trim())
  .filter((text) => text !== '')
const options = fc.array(fc.record({ text, correct: fc.boolean(), feedback: fc.option(text) }), { maxLength: 4 })
const label = fc.constantFrom('grundlagen', 'a; b', '"x"')
const cardOf = fc.record({
  ...drawTexts(text, label),
  answer: fc.oneof(text, fc.constantFrom('72', '1. a\n2. b', 'In {{72|zweiundsiebzig}} h', 'Kurz')),
  exercise: fc.record({ form: fc.constantFrom(null, ...FORMS), options, unit: fc.constantFrom(null, 'MB') }),
  state: fc.constantFrom('live', 'live', 'draft', 'archived', 'archived draft'),
})
const deckOf = fc.record({
  name: fc.constantFrom('Git', 'Linux::Netz', 'Ein „Deck“: #1'),
  description: fc.constantFrom('', 'Mehr dazu\nund mehr'),
  sort_order: fc.integer({ min: -3, max: 3 }),
  tests_only: fc.boolean(),
  options_off: fc.boolean(),
  lang: fc.constantFrom('de', 'en'),
  desired_retention: fc.constantFrom(null, 0.95),
  isArchived: fc.boolean(),
  cards: fc.array(cardOf, { maxLength: 4 }),
})
const sheetOf = fc.record({
  title: text.filter((title) => !title.includes('\n')),
  category: fc.constantFrom('Git', 'A/B'),
  content_md: text,
  state: fc.constantFrom('live', 'draft', 'archived'),
})

function validExercise(input: ExerciseInput, answer: string): Exercise | null {
  const faults: string[] = []
  const exercise = parseExercise(input, answer, (message) => faults.push(message))
  return faults.length > 0 ? null : exercise
}

type Drawn = {
  decks: (typeof deckOf extends fc.Arbitrary<infer T> ? T : never)[]
  sheets: (typeof sheetOf extends fc.Arbitrary<infer T> ? T : never)[]
}

const CARD: Drawn['decks'][number]['cards'][number] = {
  ...EMPTY_TEXTS,
  question: 'Wann?',
  answer: 'Kurz',
  level: 'grundlagen',
  state: 'live',
  exercise: { form: null, options: [], unit: null },
}
const CHOICES = [
  { text: 'Kurz', correct: true, feedback: null },
  { text: 'Lang', correct: false, feedback: 'Nein' },
]
/** A deck and a pool in which each feature of the format occurs */
const EVERY_FEATURE: Drawn['decks'] = [
  {
    name: 'Git',
    description: '',
    sort_order: 0,
    tests_only: false,
    options_off: true,
    isArchived: false,
    lang: 'en',
    desired_retention: 0.95,
    cards: [
      { ...CARD, state: 'draft' },
      { ...CARD, question: '## Überschrift' },
      { ...CARD, answer: `![Bild](${targetOf(PICTURE)})` },
    ],
  },
  {
    name: 'Linux::Netz',
    description: '',
    sort_order: 0,
    tests_only: true,
    options_off: false,
    isArchived: false,
    lang: 'de',
    desired_retention: null,
    cards: [{ ...CARD, exercise: { form: 'choice', options: CHOICES, unit: null } }],
  },
]

/**
 * Stores a source as the editor does. Keys of decks and sheets differ from their slugs, as after a move from another
 * source.
 */
async function writeSource(db: Kysely<Database>, { decks, sheets }: Drawn): Promise<number> {
  const bytes = PICTURE
  const sha256 = Buffer.from(targetOf(bytes).slice('media/'.length, -'.gif'.length), 'hex')
  await db
    .insertInto('media')
    .values({ sha256, extension: 'gif', size_bytes: bytes.length, bytes })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const source = { id: await createSource(db, { name: 'Geschrieben' }) }
  for (const [
    index,
    { cards, tests_only, options_off, lang, desired_retention, isArchived, ...deck },
  ] of decks.entries()) {
    const archived_at = isArchived || tests_only ? new Date() : null
    const { id } = await createDeck(db, { ...deck, slug: `deck-${index}`, archived_at })
    const marks = { tests_only, options_off, lang, pool_archived: tests_only && isArchived }
    await db
      .insertInto('imported_decks')
      .values({ deck_id: id, file: null, source_id: source.id, source_key: `schluessel-${index}`, ...marks })
      .execute()
    if (desired_retention !== null) {
      await db.insertInto('deck_defaults').values({ deck_id: id, desired_retention }).execute()
    }
    for (const [place, { state, exercise, ...texts }] of cards.entries()) {
      const stored = validExercise(exercise, texts.answer)
      const card = await createCard(db, {
        ...texts,
        deck_id: id,
        sort_order: 10 * place,
        exercise: stored && JSON.stringify(stored),
        archived_at: state === 'live' ? null : new Date(),
      })
      const draft = { draft: state.endsWith('draft'), draft_archived: state === 'archived draft' }
      await db
        .insertInto('imported_cards')
        .values({ card_id: card.id, deck_id: id, key: `k-${place}`, ...draft })
        .execute()
    }
  }
  for (const [index, { state, ...sheet }] of sheets.entries()) {
    const archived_at = state === 'live' ? null : new Date()
    const { id } = await createCheatsheet(db, { ...sheet, slug: `blatt-${index}`, archived_at })
    const origin = {
      cheatsheet_id: id,
      source_id: source.id,
      source_key: `schluessel-${index}`,
      draft: state === 'draft',
    }
    await db.insertInto('imported_cheatsheets').values(origin).execute()
  }
  return source.id
}

let count = 0

async function exportSource(db: Kysely<Database>, sourceId: number) {
  const folder = await mkdtemp(path.join(scratch, `export-${count++}-`))
  const request = { format: 'markdown', sourceId, hasHidden: true, timeZone: 'UTC', now: new Date() } as const
  const file = await writeExport(db, request, folder)
  return { file, bytes: await readFile(file) }
}

const OPTIONS = { name: 'Kopie', fileName: 'kopie.zip', userId: null, mediaMaxBytes: 2 ** 30, mirror: true }

async function received(file: string) {
  const folder = await mkdtemp(path.join(scratch, `read-${count++}-`))
  return { path: file, size: (await stat(file)).size, folder }
}

function changesOf({ stats: { decks, cards, cheatsheets } }: UploadReport) {
  return [decks, cards, cheatsheets].map(({ created, updated, archived }) => [created, updated, archived])
}

const NOTHING = [
  [0, 0, 0],
  [0, 0, 0],
  [0, 0, 0],
]

t.test('a written source is the same after a round trip', async (t) => {
  const decks = [...EVERY_FEATURE, ...fc.sample(deckOf, { numRuns: runs(20) })]
  const sheets = fc.sample(sheetOf, { numRuns: runs(6) })
  const id = await writeSource(home.db, { decks, sheets })
  const { file, bytes } = await exportSource(home.db, id)
  const entries = await unzip(bytes)

  const same = await checkUpload(home.db, await received(file), { ...OPTIONS, sourceId: id })
  t.strictSame([changesOf(same), same.edited.total], [NOTHING, 0], 'the same source')
  t.strictSame(same.examples, [])
  const written = await home.db.selectFrom('content_changes').select('id').execute()
  await importUpload(home.db, commandLineActor(), await received(file), { ...OPTIONS, sourceId: id })
  t.strictSame(await home.db.selectFrom('content_changes').select('id').execute(), written, 'the import writes nothing')
  t.ok(bytes.equals((await exportSource(home.db, id)).bytes), 'the same bytes')

  const copied = await importUpload(away.db, commandLineActor(), await received(file), { ...OPTIONS, active: true })
  const copyId = copied.source.id as number
  const copy = await exportSource(away.db, copyId)
  t.strictSame(textsOf(await unzip(copy.bytes)), textsOf(entries), 'the copy has the same files')
  const unchanged = await checkUpload(away.db, await received(file), { ...OPTIONS, sourceId: copyId })
  t.strictSame(changesOf(unchanged), NOTHING, 'the copied source is equal')

  const text = [...entries.values()].join('\n')
  for (const part of [
    'tests_only: true',
    'options: off',
    'lang: en',
    'desired_retention: 0.95',
    '- [x] ',
    'draft: true',
    'verbatim: true',
    '../bilder/',
  ]) {
    t.ok(text.includes(part), part)
  }
  const request = { format: 'markdown', sourceId: id, timeZone: 'UTC', now: new Date() } as const
  const visible = await writeExport(home.db, request, await mkdtemp(path.join(scratch, 'visible-')))
  const shown = [...(await unzip(await readFile(visible))).values()].join('\n')
  t.notOk(/tests_only|draft: true/.test(shown), 'other users see neither pools nor drafts')
})

function textsOf(entries: Map<string, Buffer>) {
  return Object.fromEntries(
    [...entries].map(([name, bytes]) => [name, name.endsWith('.md') ? bytes.toString() : bytes]),
  )
}
