import { copyFileSync } from 'node:fs'
import t from 'tap'
import { EMPTY_TEXTS } from '../../../../src/domain/content/card-texts.js'
import { escapePictures, findPictures } from '../../../../src/domain/pictures/markdown.js'
import type { ExportItem } from '../../../../src/services/content/exports/items.js'
import { writeCsv } from '../../../../src/services/content/exports/write-csv.js'
import { writeMarkdown } from '../../../../src/services/content/exports/write-markdown.js'
import { readFile } from '../../../../src/services/content/upload/readers/read-file.js'
import fc, { runs } from '../../../support/property.js'
import { packageOf, writeUpload, zipOf } from '../../../support/upload-packages.js'

type Read = Awaited<ReturnType<typeof readFile>>

async function read(bytes: Uint8Array): Promise<Read> {
  const { file, workFolder } = writeUpload(t, bytes)
  return readFile(file, { fileName: 'karten.csv', defaultDeck: 'netz', workFolder, levels: [] })
}

async function exportOf({ decks }: Read, write: typeof writeMarkdown): Promise<Read> {
  async function* items(): AsyncGenerator<ExportItem> {
    yield { kind: 'pictures', shas: new Set() }
    for (const [index, { name, cards }] of decks.entries()) {
      const deck = { id: index, slug: `deck-${index}`, name, description: '', sort_order: 0 }
      yield { kind: 'deck', deck } as unknown as ExportItem
      yield {
        kind: 'cards',
        cards: cards.map((card, id) => ({ ...EMPTY_TEXTS, ...card, id, key: null })),
      } as unknown as ExportItem
    }
  }
  const { file, workFolder } = writeUpload(t, Buffer.alloc(0))
  await write({ items: items(), picture: async () => undefined }, workFolder)
  copyFileSync(`${workFolder}/export`, file)
  return readFile(file, { fileName: 'karten.csv', defaultDeck: 'netz', workFolder, levels: [] })
}

const sidesOf = ({ decks }: Read) =>
  decks.flatMap(({ cards }) => cards.map(({ question, answer }) => [question, answer]))

const SHA = 'a'.repeat(64)
const piece = fc.constantFrom(
  ...[
    '![Netz](netz.png)',
    '![a ![b](c.png)](d.png)',
    `![x](media/${SHA}.png)`,
    '![y](../../etc/passwd)',
    '![](<a b.png>)',
  ],
  ...[
    '![z](https://a.de/z.png)',
    '![r][ref]',
    '\n\n[ref]: r.png\n\n',
    '![',
    '](a.png)',
    '`![c](c.png)`',
    '| a | ![t](t.png) |',
  ],
  ...[
    '\n',
    '\n\n',
    '```',
    '## a',
    '### Antwort',
    '- ',
    '> ',
    '<!--',
    '-->',
    '---',
    '\\',
    '*',
    'Text',
    ' ',
    '|---|---|',
  ],
)
const side = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => `x${pieces.join('')}`)
const sides = fc.array(fc.tuple(side, side), { minLength: 1, maxLength: 4 })
const quote = (text: string) => `"${text.replaceAll('"', '""')}"`
const escapeHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('\n', '<br>')

const accepted = (bytes: Uint8Array) => read(bytes).catch(() => undefined)

t.test('every accepted content survives export and import with the same texts', async (t) => {
  const counts = { table: 0, archive: 0, anki: 0 }
  const wayIn = fc.constantFrom('table' as const, 'archive' as const, 'anki' as const)
  const property = fc.asyncProperty(sides, wayIn, async (cards, way) => {
    const rows = cards.map(([question, answer], at) => `${quote(`${at} ${question}`)};${quote(answer)};l;d;${at}\n`)
    // A missing picture would make the import refuse the archive, so all targets become https addresses.
    const online = cards.map((sides) => sides.map((text) => text.replaceAll(/\]\((?!https)/g, '](https://a.de/')))
    const files = online.map(([q, a], at) => `## ${at}\n<!-- id: k${at}; level: l -->\n${q}\n\n### Antwort\n${a}\n`)
    const notes = cards.map(([question, answer], at) => ({
      guid: `g${at}`,
      fields: [escapeHtml(`${at} ${question}`), `<ul>${escapeHtml(answer)}</ul>`],
    }))
    const bytes = {
      table: async () => Buffer.from(`Frage;Antwort;Level;Deck;Id\n${rows.join('')}`),
      archive: () => zipOf({ 'decks/a.md': `---\nname: A\n---\n${files.join('\n')}` }),
      anki: () => packageOf('legacy1', { notes }),
    }[way]
    const incoming = await accepted(await bytes())
    if (incoming === undefined) return
    counts[way]++
    const back = await exportOf(incoming, writeMarkdown)
    const again = await exportOf(back, writeMarkdown)
    if (JSON.stringify(sidesOf(back)) !== JSON.stringify(sidesOf(again))) throw new Error('changes with each export')
    await exportOf(incoming, writeCsv)
  })
  const simple: [string, string][] = [['Frage', 'Antwort']]
  await fc.assert(property, {
    numRuns: runs(40),
    examples: [
      [simple, 'table'],
      [simple, 'archive'],
      [simple, 'anki'],
    ],
  })
  for (const [way, count] of Object.entries(counts)) t.ok(count > 0, `${count} uploads by ${way}`)
})

t.test('a picture in a table becomes text, with a warning', async (t) => {
  const incoming = await read(Buffer.from('Frage;Antwort\n![Netz](netz.png);a `![c](c.png)`\n'))
  t.same(sidesOf(incoming), [['!\\[Netz](netz.png)', 'a `![c](c.png)`']])
  t.match(incoming.warnings.at(-1)?.message, 'netz.png')
  t.same(sidesOf(await exportOf(incoming, writeMarkdown)), sidesOf(incoming))
})

t.test('pictures nested in descriptions of pictures become text', async (t) => {
  t.equal(
    escapePictures('a ![b ![c](d)](e) f', () => true),
    'a !\\[b !\\[c](d)](e) f',
  )
  t.equal(
    escapePictures('> ![b\n> c](d)', () => true),
    '> !\\[b\n> c](d)',
  )
  t.equal(
    escapePictures('| a |\n|---|\n| ![b\\|c](d) |', () => true),
    '| a |\n|---|\n| !\\[b\\|c](d) |',
  )
  const nested = (depth: number) =>
    findPictures(escapePictures(`${'!['.repeat(depth)}${'](x)'.repeat(depth)}`, () => true))
  t.same(nested(8_000), [])
})
