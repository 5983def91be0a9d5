import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5'
import t from 'tap'
import { commandLineActor } from '../../../../src/commands/actor.js'
import { formatAnkiText } from '../../../../src/domain/anki/text-export.js'
import { ALL, NONE } from '../../../../src/domain/questions/fraction.js'
import { freezeQuestion } from '../../../../src/domain/questions/frozen.js'
import { checkAnswer, judge, rightAnswer } from '../../../../src/domain/questions/judge.js'
import { lintQuestion } from '../../../../src/domain/questions/lint.js'
import { resolveSections } from '../../../../src/domain/tests/sections.js'
import { prepareVersion } from '../../../../src/domain/tests/version.js'
import { shorten } from '../../../../src/domain/text/text.js'
import { importContent } from '../../../../src/services/content/folder/import.js'
import { readContent } from '../../../../src/services/content/folder/read.js'
import { ROOT } from '../../../support/constants.js'
import { startService } from '../../../support/service.js'

const folder = `${ROOT}content`
const { content, tests, faults, warnings } = await readContent(folder)

t.test('the shipped content has no faults and enough cards', async (t) => {
  t.strictSame(faults, [])
  t.strictSame(warnings, [])
  t.ok(content.decks.length >= 6)
  t.ok(content.sheets.length >= 12)
  for (const { slug, description, cards, tests_only } of content.decks) {
    t.ok(cards.length >= (tests_only ? 16 : 25), `${slug}: ${cards.length} cards`)
    t.not(description, '')
  }
})

t.test('quiz options can be told apart', async (t) => {
  const options = content.decks.flatMap(({ cards }) => cards.map((card) => shorten(card.answer, 120)))
  t.equal(new Set(options).size, options.length)
})

const questions = content.decks.flatMap(({ slug, cards }) =>
  cards.flatMap(({ key, question, answer, exercise }) =>
    exercise === null ? [] : [{ name: `${slug}/${key}`, slug, question, answer, exercise }],
  ),
)

t.test('at least 100 cards in three decks have wrong options', async (t) => {
  const authored = questions.filter(({ exercise }) => exercise.options.some(({ correct }) => !correct))
  t.ok(authored.length >= 100, `${authored.length} cards`)
  t.ok(new Set(authored.map(({ slug }) => slug)).size >= 3)
  t.ok(questions.some(({ exercise }) => exercise.form === 'text'))
  t.ok(questions.some(({ exercise }) => exercise.form === 'number'))
})

t.test('the linter finds nothing in the questions', async (t) => {
  for (const card of questions) t.strictSame(lintQuestion(card), [], card.name)
})

t.test('the key of a choice is the only accepted option', async (t) => {
  for (const { name, ...card } of questions.filter(({ exercise }) => exercise.form === 'choice')) {
    let ids = 0
    const frozen = freezeQuestion(card, () => `option-${ids++}`)
    if (frozen.form !== 'single') return t.fail(`${name} is no single choice`)
    const accepted = frozen.options.filter(({ id }) => judge(frozen, { option_ids: [id] }, 'all').part > 0)
    t.equal(accepted.length, 1, name)
    t.strictSame(judge(frozen, rightAnswer(frozen), 'all'), ALL, name)
  }
})

t.test('typed answers are accepted as written, and similar words are not', async (t) => {
  const cases: Record<string, { right: string[]; wrong: string[] }> = {
    'netzwerke/cidr-schreibweise': { right: ['254', '254 Hosts', ' 254,0 '], wrong: ['256', '255', '24', ''] },
    'netzwerke/routing-laengstes-praefix': {
      right: ['10.20.0.0/16', '/16', 'Die Spezifischere'],
      wrong: ['10.0.0.0/8', '/8', '10.20.0.0/15', 'die erste'],
    },
    'typescript/event-loop-reihenfolge': {
      right: ['3, 5, 2, 4, 1', '3,5,2,4,1.'],
      wrong: ['3, 5, 4, 2, 1', '1, 2, 3, 4, 5'],
    },
  }
  const typed = questions.filter(({ exercise }) => exercise.form !== 'choice')
  t.strictSame(typed.map(({ name }) => name).sort(), Object.keys(cases).sort())
  for (const { name, ...card } of typed) {
    const frozen = freezeQuestion(card, () => 'id')
    for (const text of cases[name]?.right ?? []) {
      checkAnswer(frozen, { text })
      t.strictSame(judge(frozen, { text }, 'all'), ALL, `${name}: ${text}`)
    }
    for (const text of cases[name]?.wrong ?? []) t.strictSame(judge(frozen, { text }, 'all'), NONE, `${name}: ${text}`)
  }
})

const service = await startService(t)
await importContent(service.db, commandLineActor(), folder)
const member = await service.member()

t.test('variants have the same cards as their originals and need no check', async (t) => {
  const variants = content.decks.filter(({ translation }) => translation?.translation_of != null)
  t.ok(variants.length > 0)
  for (const { slug, translation, cards } of variants) {
    const original = content.decks.find((deck) => deck.slug === translation?.translation_of)
    t.strictSame(
      cards.map(({ key }) => key),
      original?.cards.map(({ key }) => key),
      slug,
    )
    for (const [index, { key, exercise }] of cards.entries()) {
      const options = original?.cards[index]?.exercise?.options.map(({ correct, feedback }) => [
        correct,
        feedback === null,
      ])
      t.strictSame(
        exercise?.options.map(({ correct, feedback }) => [correct, feedback === null]),
        options,
        key,
      )
    }
  }
  const slug = 'it-sicherheit-am-arbeitsplatz'
  const admin = await service.admin()
  const state = { variants: [{ slug: 'it-security-at-work', lang: 'en', translation_outdated: false }] }
  const { decks } = (await admin.get('/api/content/decks')).body
  t.match(
    decks.find((deck: { slug: string }) => deck.slug === slug),
    state,
  )
  t.match((await admin.get(`/api/content/sheets/${slug}`)).body.sheet, state)
  t.match((await admin.get(`/api/content/tests/${slug}`)).body.test, state)
  t.match((await admin.get('/api/content/tests/it-security-at-work')).body.test, {
    state: 'published',
    published_version: 1,
  })
})

t.test('the published tests cannot be passed by guessing', async (t) => {
  const { body } = await member.get('/api/tests')
  const published = new Map<string, object>(body.tests.map((test: { slug: string }) => [test.slug, test]))
  t.ok(published.size >= 3)
  const originals = tests.filter(({ translation }) => translation?.translation_of === null)
  const open = originals.filter(({ definition }) => definition.access === 'open')
  t.strictSame([...published.keys()].sort(), open.map(({ slug }) => slug).sort())
  const live = { id: null, state: 'live' as const }
  const decks = new Map(
    content.decks.map((deck) => [
      deck.slug,
      { ...deck, is_live: true, cards: deck.cards.map((card) => ({ ...card, ...live })) },
    ]),
  )
  for (const { slug, definition } of originals) {
    const sections = resolveSections(definition, decks, (message) => t.fail(`${slug}: ${message}`))
    const version = prepareVersion(definition, sections)
    t.match(definition, { pass_percent: 80, attempts: 3 }, slug)
    if (definition.access === 'open') t.match(published.get(slug), { question_count: version.drawn }, slug)
    t.ok(version.drawn >= 8 && version.questions >= 2 * version.drawn, `${slug}: ${version.questions} questions`)
    t.strictSame(version.findings, [], slug)
    t.ok(version.guess_percent < 1, `${slug}: ${version.guess_percent} %`)
    t.not(definition.introduction, '', slug)
  }
})

t.test('the export has a line of four columns per card', async (t) => {
  const { text } = await member.get('/api/decks/export-anki')
  const lines = text.split('\n')
  t.equal(lines.pop(), '')
  t.equal(
    lines.length,
    content.decks.reduce((sum, { cards, tests_only }) => sum + (tests_only ? 0 : cards.length), 0),
  )
  for (const line of lines) {
    const columns = line.split('\t')
    t.equal(columns.length, 4)
    t.match(columns[2], /^svc-training::\S/)
    t.notMatch(columns.slice(0, 2).join(), /[`\r]/)
  }
})

/** Returns the text of HTML, with a line end for `<br>`, and the names of its elements. */
function readAsHtml(html: string): { text: string; tags: Set<string> } {
  const tags = new Set<string>()
  function textOf(node: DefaultTreeAdapterTypes.Node): string {
    if (node.nodeName === '#text') return (node as DefaultTreeAdapterTypes.TextNode).value
    if (node.nodeName !== '#document-fragment') tags.add(node.nodeName)
    if (node.nodeName === 'br') return '\n'
    return 'childNodes' in node ? node.childNodes.map(textOf).join('') : ''
  }
  return { text: textOf(parseFragment(html)), tags }
}

t.test('Anki, which reads the columns as HTML, shows the complete text', async (t) => {
  const lost = (html: string) =>
    readAsHtml(html).text !== html.replaceAll('<br>', '\n').replaceAll(/<\/?(b|pre|code)>/g, '')
  t.ok(lost('Partial<User>'), 'a type parameter is a tag to HTML')
  t.ok(lost('wc </dev/null<br>x'), 'this is a comment in HTML')
  t.ok(lost('a=1&copy=2'))
  t.notOk(lost('<b>fett</b><br><pre><code>a < b<br></code></pre>'))
  for (const { slug, cards } of content.decks) {
    for (const { key, question, answer, level } of cards) {
      for (const column of [formatAnkiText(question), formatAnkiText(answer), level]) {
        const known = ['b', 'br', 'pre', 'code']
        const others = [...readAsHtml(column).tags].filter((tag) => !known.includes(tag))
        if (lost(column) || others.length > 0) t.fail(`${slug}/${key}: write < with a space behind it: ${column}`)
      }
    }
  }
})
