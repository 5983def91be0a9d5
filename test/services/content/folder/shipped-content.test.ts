import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5'
import t from 'tap'
import { commandLineActor } from '../../../../src/commands/actor.js'
import { formatAnkiText } from '../../../../src/domain/anki/text-export.js'
import { shorten } from '../../../../src/domain/text/text.js'
import { importContent } from '../../../../src/services/content/folder/import.js'
import { readContent } from '../../../../src/services/content/folder/read.js'
import { ROOT, startService } from '../../../support/service.js'

const folder = `${ROOT}content`
const { content, faults, warnings } = await readContent(folder)

t.test('the shipped content has no faults and enough cards', async (t) => {
  t.strictSame(faults, [])
  t.strictSame(warnings, [])
  t.ok(content.decks.length >= 6)
  t.ok(content.sheets.length >= 12)
  for (const { slug, description, cards } of content.decks) {
    t.ok(cards.length >= 25, `${slug}: ${cards.length} cards`)
    t.not(description, '')
  }
})

t.test('quiz options can be told apart', async (t) => {
  const options = content.decks.flatMap(({ cards }) => cards.map((card) => shorten(card.answer, 120)))
  t.equal(new Set(options).size, options.length)
})

t.test('the export has a line of four columns per card', async (t) => {
  const service = await startService(t)
  await importContent(service.db, commandLineActor(), folder)
  const member = await service.member()
  const { text } = await member.get('/api/decks/export-anki')
  const lines = text.split('\n')
  t.equal(lines.pop(), '')
  t.equal(
    lines.length,
    content.decks.reduce((sum, { cards }) => sum + cards.length, 0),
  )
  for (const line of lines) {
    const columns = line.split('\t')
    t.equal(columns.length, 4)
    t.match(columns[2], /^svc-training::\S/)
    t.notMatch(columns.slice(0, 2).join(), /[`\r]/)
  }
})

/** Returns the visible text of HTML; `<br>` is a line end. */
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
  t.ok(lost('wc </dev/null<br>x'), 'and this a comment')
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
