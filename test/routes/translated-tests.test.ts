import t from 'tap'
import { checkFolder } from '../../src/services/content/folder/check.js'
import { changeFiles, writeContentFolder } from '../support/content.js'
import { writeQuestion } from '../support/edited-tests.js'
import { createEditor, createSource, writeDeck } from '../support/editing.js'
import { unique } from '../support/factories.js'
import { startService } from '../support/service.js'
import { zipOf } from '../support/upload-packages.js'

const QUESTION = (id: string, language: string) => `
## ${id} ${language}?
<!-- id: ${id}; level: ${language} -->

### Antwort
Ja

- [x] Ja
- [ ] Nein ${language}
`
const DECK = (language: string, ids: string[], head = '') =>
  `---\nname: Fragen ${language}\n${head}---\n${ids.map((id) => QUESTION(id, language)).join('')}`
const EN = 'lang: en\ntranslation_of: fragen\n'
const TEST =
  '---\nname: Prüfung\npass_percent: 60\nattempts: 2\nsections:\n  - { deck: fragen, draw: 2 }\n---\nLies genau.\n'
const VARIANT = '---\nname: Exam\nlang: en\ntranslation_of: pruefung\n---\nRead carefully.\n'
const FILES = {
  'decks/a-questions.md': DECK('en', ['b', 'a', 'c'], EN),
  'decks/fragen.md': DECK('de', ['a', 'b']),
  'tests/exam.md': VARIANT,
  'tests/pruefung.md': TEST,
}

const folder = await writeContentFolder(t, FILES)
const service = await startService(t, { config: { contentDir: folder } })
const { db } = service
const admin = await service.admin()
const learner = await service.member()
const source = await createSource(db)
const editor = await createEditor(service, source)

const URL = '/api/content/tests'
const OCTETS = { headers: { 'content-type': 'application/octet-stream' } }
const put = (slug: string, payload: object) => editor.send({ method: 'PUT', url: `${URL}/${slug}`, payload })
const definitionOf = async (slug: string) => (await admin.get(`${URL}/${slug}`)).body.test
const importFolder = () => admin.post('/api/admin/import?force=true')
const questionsOf = (slug: string) =>
  db
    .selectFrom('test_questions')
    .innerJoin('tests', (join) => join.onRef('tests.id', '=', 'test_id').onRef('published_version', '=', 'version'))
    .innerJoin('cards', 'cards.id', 'card_id')
    .select('question')
    .where('slug', '=', slug)
    .orderBy('position')
    .execute()

t.test('a variant takes settings, sections and questions from its original', async (t) => {
  const check = await checkFolder(db, folder, 2 ** 31, new AbortController().signal)
  t.match(check.stats.tests, { created: 2 })
  t.match((await importFolder()).body.stats.tests, { created: 2 })
  const shared = {
    pass_percent: 60,
    attempts: 2,
    sections: [{ deck: 'fragen', draw: 2 }],
    question_count: 2,
    questions: 2,
  }
  t.match(await definitionOf('pruefung'), {
    ...shared,
    lang: 'de',
    translation_of: null,
    variants: [{ slug: 'exam', lang: 'en', title: 'Exam' }],
  })
  t.match(await definitionOf('exam'), {
    ...shared,
    name: 'Exam',
    introduction: 'Read carefully.',
    state: 'published',
    lang: 'en',
    translation_of: 'pruefung',
  })
  t.strictSame((await definitionOf('exam')).variants, [])
  t.strictSame(
    await questionsOf('exam'),
    [{ question: 'a en?' }, { question: 'b en?' }],
    'paired by id, extra cards stay out',
  )
  t.match((await learner.get('/api/tests/pruefung')).body.test, {
    variants: [{ slug: 'exam', lang: 'en', title: 'Exam' }],
  })
  const { test: exam } = (await learner.get('/api/tests/exam')).body
  t.match(exam, { lang: 'en', translation_of: 'pruefung' })
  t.strictSame(exam.variants, [])
  t.match((await importFolder()).body.stats.tests, { created: 0, updated: 0, unchanged: 2 })
})

t.test('a changed original changes its variants', async (t) => {
  await changeFiles(folder, { 'tests/pruefung.md': TEST.replace('60', '70') })
  t.match((await importFolder()).body.stats.tests, { updated: 2 })
  t.match((await learner.get('/api/tests/exam')).body.test, { pass_percent: 70, name: 'Exam' })
})

t.test('a renamed file of a variant takes the place of its archived test', async (t) => {
  await changeFiles(folder, { 'tests/exam.md': null, 'tests/final-exam.md': VARIANT })
  const { status, body } = await importFolder()
  t.equal(status, 200)
  t.match(body.stats.tests, { created: 1, archived: 1, unchanged: 1 })
  t.match(await definitionOf('pruefung'), { variants: [{ slug: 'final-exam' }] })
  t.match(await definitionOf('exam'), { translation_of: null, state: 'archived' })
  await changeFiles(folder, { 'tests/exam.md': VARIANT, 'tests/final-exam.md': null })
  t.match((await importFolder()).body.stats.tests, { updated: 1, archived: 1 })
  t.match(await definitionOf('pruefung'), { variants: [{ slug: 'exam' }] })
})

t.test('faults of variants have their lines, and nothing is imported', async (t) => {
  const faultsOf = async (files: Record<string, string>) => {
    await changeFiles(folder, files)
    const { status, body } = await importFolder()
    await changeFiles(folder, FILES)
    t.equal(status, 400)
    return body.errors
  }
  const own = VARIANT.replace('lang: en', 'lang: en\npass_percent: 50\nsections: [{ deck: fragen }]')
  t.match(await faultsOf({ 'tests/exam.md': own }), [
    { file: 'tests/exam.md', line: 4, message: /„pass_percent“ steht im Original/ },
    { file: 'tests/exam.md', line: 5, message: /„sections“ steht im Original/ },
  ])
  t.match(await faultsOf({ 'tests/exam.md': VARIANT.replace('pruefung', 'nirgends') }), [
    { file: 'tests/exam.md', line: 4, message: /gibt es nicht/ },
  ])
  t.match(await faultsOf({ 'decks/a-questions.md': DECK('en', ['a'], EN) }), [
    { file: 'tests/exam.md', line: 4, message: /Die Karte „b“ ist archiviert/ },
  ])
  t.match(await faultsOf({ 'decks/a-questions.md': DECK('en', ['a', 'b']) }), [
    { file: 'tests/exam.md', line: 4, message: /Das Deck „fragen“ gibt es nicht in der Sprache en/ },
  ])
  t.match((await importFolder()).body.stats.tests, { created: 0 })
})

t.test('a variant whose original belongs to a source is skipped with a warning', async (t) => {
  const other = await createSource(db)
  const author = await createEditor(service, other)
  const deck = await writeDeck(author, other)
  const taken = unique('test')
  const payload = { source_id: other, name: 'Prüfung', sections: [{ deck }] }
  await author.send({ method: 'PUT', url: `${URL}/${taken}`, payload })
  await changeFiles(folder, { 'tests/exam-2.md': VARIANT.replace('pruefung', taken) })
  const { status, body } = await importFolder()
  t.equal(status, 200)
  t.match(body.stats, {
    tests: { created: 0, unchanged: 2 },
    warnings: [{ file: 'tests/exam-2.md', line: 4, message: /gehört der Quelle „.*“; die Datei wird nicht gelesen/ }],
  })
  await changeFiles(folder, { 'tests/exam-2.md': null })
})

t.test('an archive keeps the group of a test in both directions', async (t) => {
  const rename = (text: string) => text.replaceAll('fragen', 'stoff').replaceAll('pruefung', 'abschluss')
  const first = await admin.post(
    '/api/content/imports?name=Archiv',
    await zipOf({ 'decks/stoff.md': rename(FILES['decks/fragen.md']), 'tests/abschluss.md': rename(TEST) }),
    OCTETS,
  )
  t.equal(first.status, 200)
  const { id } = first.body.source
  const late = { 'decks/matter.md': rename(FILES['decks/a-questions.md']), 'tests/final.md': rename(VARIANT) }
  const check = await admin.post(`/api/content/imports?source=${id}&check=true`, await zipOf(late), OCTETS)
  t.match(check.body.stats.tests, { created: 1 })
  t.equal((await admin.post(`/api/content/imports?source=${id}`, await zipOf(late), OCTETS)).status, 200)
  t.match(await definitionOf('final'), { state: 'published', pass_percent: 60, translation_of: 'abschluss' })
  const exported = await service.app.inject({
    url: `/api/content/export?source=${id}`,
    headers: { cookie: admin.cookie ?? '' },
  })
  const again = await admin.post(`/api/content/imports?source=${id}&mirror=true`, exported.rawPayload, OCTETS)
  t.match(again.body.stats, { decks: { unchanged: 2 }, tests: { updated: 0, unchanged: 2 } })
  const copy = await admin.post('/api/content/imports?name=Kopie', exported.rawPayload, OCTETS)
  t.match(copy.body.stats.tests, { created: 2 })
  t.match(await definitionOf('final-2'), { translation_of: 'abschluss-2', sections: [{ deck: 'stoff-2' }] })
})

t.test('learners see a group as it is published', async (t) => {
  const { version } = await definitionOf('final')
  t.equal((await admin.send({ method: 'PUT', url: `${URL}/final`, payload: { version, name: 'Geheim' } })).status, 200)
  const original = (await learner.get('/api/tests/abschluss')).body.test
  t.strictSame(original.variants, [{ slug: 'final', lang: 'en', title: 'Exam' }])
  t.equal((await learner.get('/api/tests/final')).body.test.translation_of, 'abschluss')
  await db.updateTable('tests').set({ published_version: null }).where('slug', '=', 'abschluss').execute()
  t.equal((await learner.get('/api/tests/final')).body.test.translation_of, null)
})

t.test('an upload keeps the group of a test that was changed in the browser, unless the file is to win', async (t) => {
  const rename = (text: string) => text.replaceAll('fragen', 'wissen').replaceAll('pruefung', 'probe')
  const archive = await zipOf({
    'decks/knowledge.md': rename(FILES['decks/a-questions.md']),
    'decks/wissen.md': rename(FILES['decks/fragen.md']),
    'tests/probe.md': rename(TEST),
    'tests/trial.md': rename(VARIANT),
  })
  const { id } = (await admin.post('/api/content/imports?name=Probe', archive, OCTETS)).body.source
  const payload = { ...(await definitionOf('trial')), translation_of: null }
  t.equal((await admin.send({ method: 'PUT', url: `${URL}/trial`, payload })).status, 200)
  const again = await admin.post(`/api/content/imports?source=${id}`, archive, OCTETS)
  t.match(again.body.stats.tests, { updated: 0, unchanged: 2 })
  t.match(again.body.edited, { total: 1, tests: [{ slug: 'trial', keep: 'ours' }] })
  t.match(await definitionOf('trial'), { lang: 'en', translation_of: null })
  const { published_version } = await definitionOf('trial')
  const other = await zipOf({
    'decks/knowledge.md': rename(FILES['decks/a-questions.md']).replaceAll('en?', 'english?'),
    'decks/wissen.md': rename(FILES['decks/fragen.md']),
    'tests/probe.md': rename(TEST),
    'tests/trial.md': rename(VARIANT),
  })
  t.equal((await admin.post(`/api/content/imports?source=${id}`, other, OCTETS)).status, 200)
  t.equal(
    (await definitionOf('trial')).published_version,
    published_version,
    'not published with the questions of the file',
  )
  const theirs = await admin.post(`/api/content/imports?source=${id}&keep=theirs`, archive, OCTETS)
  t.match(theirs.body.stats.tests, { updated: 1, unchanged: 1 })
  t.match(theirs.body.edited, { total: 1, tests: [{ slug: 'trial', keep: 'theirs' }] })
  t.match(await definitionOf('trial'), { translation_of: 'probe' })
})

t.test('an editor writes a variant, whose settings are those of the original', async (t) => {
  const deck = await writeDeck(editor, source)
  const english = await writeDeck(editor, source, { lang: 'en', translation_of: deck })
  await writeQuestion(editor, deck)
  const slug = unique('test')
  const variant = unique('test')
  await put(slug, { source_id: source, name: 'Prüfung', pass_percent: 70, sections: [{ deck }] })
  const group = { lang: 'en', translation_of: slug }
  const created = await put(variant, { source_id: source, name: 'Exam', ...group })
  t.equal(created.status, 200)
  t.match(created.body.test, { ...group, version: 1, pass_percent: 70, sections: [{ deck }] })
  t.match((await editor.get(`${URL}?source=${source}`)).body.tests, [
    { slug: variant, translation_of: slug },
    { slug, variants: [{ slug: variant, lang: 'en', title: 'Exam' }] },
  ])
  t.strictSame((await put(variant, created.body.test)).body, created.body, 'the returned definition can be saved')

  const own = await put(variant, { version: 1, name: 'Exam', pass_percent: 80 })
  t.equal(own.status, 400)
  t.equal(own.headers['x-error-field'], 'pass_percent')
  const sections = await put(variant, { version: 1, name: 'Exam', sections: [{ deck: english }] })
  t.equal(sections.headers['x-error-field'], 'sections')
  const missing = await put(unique('test'), { source_id: source, name: 'Ohne' })
  t.equal(missing.status, 400)
  t.equal(missing.headers['x-error-field'], 'sections')
  const second = await put(unique('test'), { source_id: source, name: 'Exam 2', ...group })
  t.equal(second.status, 400)
  t.equal(second.headers['x-error-field'], 'lang')
  const chain = await put(unique('test'), { source_id: source, name: 'Examen', lang: 'fr', translation_of: variant })
  t.equal(chain.headers['x-error-field'], 'translation_of')
  const unknown = await put(unique('test'), {
    source_id: source,
    name: 'Examen',
    lang: 'fr',
    translation_of: 'nirgends',
  })
  t.equal(unknown.headers['x-error-field'], 'translation_of')

  const fewer = await editor.post(`${URL}/${variant}/publish`)
  t.equal(fewer.status, 409)
  t.match(fewer.body.message, /Die Karte „.*“ gibt es im Deck „.*“ nicht/)

  await put(slug, { version: 1, name: 'Prüfung', pass_percent: 90, sections: [{ deck }] })
  t.match((await editor.get(`${URL}/${variant}`)).body.test, { name: 'Exam', pass_percent: 90, version: 2 })
  const outdated = await put(variant, { ...created.body.test, name: 'The exam' })
  t.equal(
    outdated.headers['x-error-code'],
    'version_outdated',
    'not the fault of a setting that the original has changed',
  )
  const left = await put(variant, { version: 2, name: 'Exam', translation_of: null, sections: [{ deck: english }] })
  t.match(left.body.test, { translation_of: null, lang: 'en', version: 3 })
  t.equal((await put(variant, { version: 3, name: 'Exam', translation_of: slug })).status, 200)

  t.equal((await editor.patch(`${URL}/${slug}`, { archived: true })).status, 200)
  t.match((await editor.get(`${URL}/${variant}`)).body.test, { state: 'archived' })
  const alone = await editor.patch(`${URL}/${variant}`, { archived: false })
  t.equal(alone.status, 400)
  t.equal(alone.headers['x-error-field'], 'archived')
})
