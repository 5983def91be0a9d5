import t from 'tap'
import { FaultyContent } from '../../../../src/domain/content/refusals.js'
import { readFile } from '../../../../src/services/content/upload/readers/read-file.js'
import { deckFile } from '../../../support/content.js'
import { gifOf, largePng } from '../../../support/pictures.js'
import { writeUpload, zipOf } from '../../../support/upload-packages.js'

type Tap = Parameters<typeof writeUpload>[0]

async function read(t: Tap, bytes: Uint8Array | string, fileName = 'Wörter.csv') {
  const { file, workFolder } = writeUpload(t, bytes)
  return readFile(file, { fileName, defaultDeck: 'Wörter', workFolder, levels: [] })
}

async function faultsOf(t: Tap, bytes: Uint8Array | string): Promise<string[]> {
  try {
    await read(t, bytes)
  } catch (error) {
    if (error instanceof FaultyContent)
      return error.faults.map(({ file, line, message }) => `${file}:${line}: ${message}`)
    throw error
  }
  return []
}

t.test('reads a table saved by Excel', async (t) => {
  const bytes = Buffer.from('Frage;Antwort\r\nGr\xfc\xdfe;\x84ja\x93\r\n', 'latin1')
  const { kind, decks, warnings } = await read(t, bytes)
  t.equal(kind, 'table')
  t.match(decks, [{ name: 'Wörter', cards: [{ question: 'Grüße', answer: '„ja“', file: 'Wörter.csv', line: 2 }] }])
  t.match(warnings[0], { message: 'Die Datei ist nicht in UTF-8 kodiert und wurde als Windows-1252 gelesen' })
  t.same(await faultsOf(t, 'a;"b\nc;d'), ['Wörter.csv:1: Anführungszeichen nicht geschlossen'])
})

t.test('refuses a question of a quiz table whose options are all right', async (t) => {
  t.same(await faultsOf(t, 'Frage;Antwort 1;Antwort 2;Richtige Antworten\n1+1?;2;zwei;1,2\n2+2?;4;5;1\n'), [
    'Wörter.csv:2: Alle Antworten zur Auswahl sind richtig; mindestens eine muss falsch sein',
  ])
})

const PICTURE = gifOf(1)
const card = (answer: string) => deckFile('Netz', [{ id: 'dns', question: 'Was ist DNS?', answer }])

t.test('an archive, with or without a top folder', async (t) => {
  for (const root of ['', 'inhalte-main/']) {
    const { kind, decks, sheets, pictures, warnings } = await read(
      t,
      await zipOf({
        [`${root}decks/netz.md`]: card('Ein ![Buch](../bilder/buch.gif)'),
        [`${root}cheatsheets/linux/netz.md`]: '# Netz\n![](../../bilder/buch.gif)',
        [`${root}bilder/buch.gif`]: PICTURE,
        [`${root}bilder/ungenutzt.exe`]: 'x',
        [`${root}notizen.md`]: 'x',
        ...(root === '' && { '__MACOSX/decks/x.md': 'x' }),
      }),
    )
    const target = `media/${pictures[0]?.sha}.gif`
    t.equal(kind, 'archive')
    t.equal(pictures.length, 1)
    t.match(decks, [
      {
        name: 'Netz',
        slug: 'netz',
        sort_order: 0,
        cards: [
          { identity: { by: 'id', id: 'dns' }, answer: `Ein ![Buch](${target})`, file: 'decks/netz.md', line: 4 },
        ],
      },
    ])
    t.match(sheets, [{ title: 'Netz', category: 'linux', content_md: `# Netz\n![](${target})` }])
    t.same(
      warnings.map(({ file }) => file),
      ['notizen.md'],
    )
  }
})

t.test('an archive has the same faults as the folder', async (t) => {
  t.same(
    await faultsOf(
      t,
      await zipOf({
        'decks/a.md': card('![x](../../weg.gif) ![y](fehlt.gif)'),
        'decks/b.md': card('![x](gross.png)'),
        'decks/c.md': `${deckFile('C', [])}## Ohne Antwort\n`,
        'decks/d.md': card('![x](kein.png)'),
        'decks/gross.png': largePng(2 ** 21 + 1),
        'decks/kein.png': '<svg/>',
        'cheatsheets/x.md': '# X',
        'cheatsheets/y/x.md': '# X',
      }),
    ),
    [
      'cheatsheets/y/x.md:1: Der Slug „x“ ist schon in cheatsheets/x.md vergeben',
      'decks/a.md:8: Das Bild „../../weg.gif“ liegt nicht im Ordner der Inhalte',
      'decks/a.md:8: Das Bild „fehlt.gif“ gibt es nicht',
      'decks/b.md:8: Das Bild „gross.png“ ist größer als 2 MB',
      'decks/c.md:4: Unter der Überschrift fehlt der Kommentar <!-- id: …; level: … -->',
      'decks/c.md:4: Der Karte fehlt die Zeile „### Antwort“',
      'decks/d.md:8: Das Bild „kein.png“ ist weder PNG noch JPEG, GIF, WebP oder AVIF',
    ],
  )
})
