import assert from 'node:assert/strict'
import { writeXlsx } from 'hucre/xlsx'
import t from 'tap'
import { FaultyContent } from '../../../../src/domain/content/refusals.js'
import { Refusal } from '../../../../src/domain/refusal.js'
import { readUpload } from '../../../../src/services/content/upload/read.js'
import { readFile } from '../../../../src/services/content/upload/readers/read-file.js'
import fc, { runs } from '../../../support/property.js'
import { declareSize, writeUpload, zipOf } from '../../../support/upload-packages.js'
import { escapeXml, type TestCell, type TestSheet, type TestWorkbook, workbookOf } from '../../../support/workbooks.js'

type Tap = Parameters<typeof writeUpload>[0]
const HEADINGS = ['Frage', 'Antwort']

/**
 * Reads a file. Returns its content, with the cards in `sides` as `line question/answer`, and its faults. Omits the
 * warning about a missing id column.
 */
async function read(t: Tap, bytes: Uint8Array, isInWorker = false) {
  const { file, workFolder } = writeUpload(t, bytes)
  const options = { fileName: 'Netz.xlsx', defaultDeck: 'Netz', workFolder, levels: [] }
  try {
    const { kind, decks, warnings } = await (isInWorker
      ? readUpload(file, options, { userId: null })
      : readFile(file, options))
    const cards = decks.flatMap((deck) => deck.cards.map((card) => ({ ...card, deck: deck.name })))
    return {
      kind,
      decks,
      sides: cards.map(({ line, question, answer }) => `${line} ${question}/${answer}`),
      cards,
      warnings: warnings.map(({ file, line, message }) => `${file}:${line}: ${message}`).filter(isOwn),
      faults: [] as string[],
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const faults = error instanceof FaultyContent ? error.faults : [{ file: '', line: 0, message: error.message }]
    const none = { kind: undefined, decks: [], sides: [], cards: [], warnings: [] as string[] }
    return { ...none, faults: faults.map(({ file, line, message }) => `${file}:${line}: ${message}`) }
  }
}

const isOwn = (warning: string) => !warning.includes('Ohne die Spalte „Id“')
const sheet = (rows: TestSheet['rows'], more: Partial<TestSheet> = {}): TestWorkbook => ({
  sheets: [{ rows, ...more }],
})
const answersOf = async (t: Tap, cells: readonly TestCell[], book: Partial<TestWorkbook> = {}) => {
  const rows = cells.map((cell, index) => [`f${index}`, cell])
  const { cards, faults } = await read(t, await workbookOf({ ...sheet([HEADINGS, ...rows]), ...book }))
  return faults.length > 0 ? faults : cards.map(({ answer }) => answer)
}
const styled = (value: number, style: number): TestCell => ({ xml: `<c s="${style}"><v>${value}</v></c>` })

t.test('reads a workbook like a table', async (t) => {
  const rows = [
    ['Frage', 'Antwort', 'Level', 'Deck', 'Id', 'Notiz'],
    ['Größe & <b>?', 'Zeile 1\nZeile 2', 'leicht', 'Maße', '007', 'x'],
    [],
    ['Zwei?', '2', '', '', 8],
  ]
  const { kind, decks, warnings } = await read(t, await workbookOf(sheet(rows)))
  t.equal(kind, 'table')
  t.strictSame(
    decks,
    [
      { name: 'Maße', question: 'Größe & <b>?', answer: 'Zeile 1\nZeile 2', level: 'leicht', id: '007', line: 2 },
      { name: 'Netz', question: 'Zwei?', answer: '2', level: 'import', id: '8', line: 4 },
    ].map(({ name, id, ...card }) => ({
      name,
      description: '',
      slug: null,
      sort_order: null,
      cards: [{ identity: { by: 'id', id }, ...card, file: 'Netz.xlsx' }],
    })),
  )
  t.strictSame(warnings, ['Netz.xlsx:1: Nicht übernommen: „Notiz“'])
})

t.test('reads workbooks of other programs', async (t) => {
  const date = new Date(Date.UTC(2026, 10, 23))
  const rows = [
    [...HEADINGS, 'Stand'],
    ['Übung?', 'a\nb', date],
    ['Anteil?', 0.25, null],
    ['Summe?', 3, null],
  ]
  for (const stringMode of ['shared', 'inline'] as const) {
    const bytes = await writeXlsx({
      stringMode,
      sheets: [
        {
          name: 'Entwurf',
          rows: [
            ['Frage', 'Antwort'],
            ['geheim', 'x'],
          ],
          hidden: true,
        },
        {
          name: 'Karten',
          rows,
          cells: new Map([
            ['2,1', { value: 0.25, type: 'number' as const, style: { numFmt: '0.0%' } }],
            ['3,1', { value: null, type: 'formula' as const, formula: '1+2', formulaResult: 3 }],
          ]),
        },
      ],
    })
    const { sides, warnings, faults } = await read(t, bytes)
    t.strictSame(faults, [])
    t.strictSame(sides, ['2 Übung?/a\nb', '3 Anteil?/25,0%', '4 Summe?/3'])
    t.ok(warnings.includes('Netz.xlsx:1: Das Blatt „Entwurf“ ist ausgeblendet und bleibt weg'))
  }
})

t.test('shows numbers, dates and times as a German Excel does', async (t) => {
  const formats = [
    '0.0%',
    'dd.mm.yyyy',
    '#,##0.00 "€"',
    '000',
    14,
    22,
    '[h]:mm',
    9,
    '[$-407]d. mmmm yyyy',
    'kaputt"',
    999,
  ]
  const cells = [
    ...[0.125, 45_000, 1_234.5, 7, 45_000, 45_000.75, 1.5, 0.25, 45_000, 3, 1.5].map((value, at) =>
      styled(value, at + 1),
    ),
    ...[3.14, 0.1 + 0.2, 1_234_567_890_123, -2],
    { xml: '<c t="d" s="2"><v>2023-03-15T00:00:00</v></c>' },
  ]
  const shown = ['12,5%', '15.03.2023', '1.234,50 €', '007', '15.03.2023', '15.03.2023 18:00', '36:00', '25%']
  t.strictSame(await answersOf(t, cells, { formats }), [
    ...shown,
    ...['15. März 2023', '3', '1,5', '3,14', '0,3', '1234567890123', '-2', '15.03.2023'],
  ])
  const iso = { xml: '<c t="d" s="1"><v>2023-03-15T00:00:00</v></c>' }
  const cells1904 = [styled(43_538, 1), styled(1.5, 2), iso]
  const since1904 = await answersOf(t, cells1904, { formats: [14, '[h]:mm'], is1904: true })
  t.strictSame(since1904, ['15.03.2023', '36:00', '15.03.2023'])
})

t.test('shows the date separator and the formats of the system as a German Excel does', async (t) => {
  const shown = [
    ['[$-407]d/\\ mmmm\\ yyyy;@', '15. März 2023'],
    ['dd/mm/yyyy;@', '15.03.2023'],
    ['[$-de-DE]dd/mm/yy', '15.03.23'],
    ['[$-10407]dd/mm/yyyy', '15.03.2023'],
    ['dd/mm/yyyy h:mm AM/PM', '15.03.2023 12:00 PM'],
    ['[$-809]dd/mm/yyyy', '15/03/2023'],
    ['dd\\/mm"/"yyyy', '15/03/2023'],
    ['# ?/?', '45000 1/2'],
    ['[$-x-sysdate]dddd, mmmm dd, yyyy', 'Mittwoch, 15. März 2023'],
    ['[$-F800]dddd, mmmm dd, yyyy', 'Mittwoch, 15. März 2023'],
    ['[$-x-systime]h:mm:ss AM/PM', '12:00:00'],
  ] as const
  const cells = shown.map((_, at) => styled(45_000.5, at + 1))
  t.strictSame(
    await answersOf(t, cells, { formats: shown.map(([code]) => code) }),
    shown.map(([, answer]) => answer),
  )
})

t.test('reads texts of every kind, and values that formulas have stored', async (t) => {
  const shared =
    '<si><t>ein</t></si><si><r><rPr><b/></rPr><t>fett</t></r><r><t xml:space="preserve"> und</t></r></si>' +
    '<si><t>漢字</t><rPh sb="0" eb="2"><t>かんじ</t></rPh></si><si><t>a_x000D_\nb_x005F_x000D_ &amp;amp; &#228;</t></si>'
  const cells = [
    ...[0, 1, 2, 3].map((at) => ({ xml: `<c t="s"><v>${at}</v></c>` })),
    { xml: '<c t="str"><f>A1&amp;"x"</f><v>Formel</v></c>' },
    { xml: '<c><f>1+1</f><v>2</v></c>' },
    { xml: '<c t="b"><v>1</v></c>' },
    { xml: '<c t="inlineStr"><is><r><t>a</t></r><r><t>b</t></r></is></c>' },
  ]
  const answers = ['ein', 'fett und', '漢字', 'a\nb_x000D_ &amp; ä', 'Formel', '2', 'WAHR', 'ab']
  t.strictSame(await answersOf(t, cells, { shared }), answers)
  t.strictSame(await answersOf(t, cells, { shared, prefix: 'x:' }), answers, 'with a prefix before each element')
})

t.test('reports cells without a value', async (t) => {
  t.strictSame(
    await answersOf(t, [
      { xml: '<c><f>1+1</f></c>' },
      { xml: '<c t="e"><f>1/0</f><v>#DIV/0!</v></c>' },
      'a_x0000_',
      '',
      'gut',
    ]),
    [
      'Netz.xlsx:2: In B2 steht eine Formel ohne gespeichertes Ergebnis; in Excel geöffnet und gespeichert, hat sie eines',
      'Netz.xlsx:3: In B3 steht der Fehler #DIV/0!',
      'Netz.xlsx:4: In B4 steht ein Zeichen, das sich nicht speichern lässt',
      'Netz.xlsx:5: Die Antwort ist leer',
    ],
  )
})

t.test('reads the sheets that have headings in one of their first rows', async (t) => {
  const cards = (...names: string[]) => [HEADINGS, ...names.map((name) => [name, `zu ${name}`])]
  const sheets = [
    { name: 'Hinweise', rows: [['So geht es'], ['…']] },
    { name: 'Netz', rows: [['Fragenkatalog 2026'], [], ...cards('a', 'b')] },
    { name: 'Leer', rows: [] },
    {
      name: 'Linux',
      rows: [
        ['Begriff', 'Definition'],
        ['c', 'd'],
        ['a', 'anders'],
      ],
    },
  ]
  const twice = await read(t, await workbookOf({ sheets }))
  t.equal(
    twice.warnings.find((warning) => warning.includes('„Linux“:3')),
    'Netz.xlsx, Blatt „Linux“:3: Die Frage steht schon in Zeile 4 (Netz.xlsx, Blatt „Netz“), mit einer anderen Antwort; diese Zeile bleibt weg',
  )
  sheets[3]?.rows.pop()
  const { sides, warnings } = await read(t, await workbookOf({ sheets }))
  t.strictSame(sides, ['4 a/zu a', '5 b/zu b', '2 c/d'])
  t.strictSame(warnings, [
    'Netz.xlsx:1: Das Blatt „Hinweise“ bleibt weg: ihm fehlen die Überschriften Frage und Antwort',
    'Netz.xlsx, Blatt „Netz“:1: Was über den Überschriften steht, wird nicht übernommen',
  ])
})

t.test('reads the first sheet with a warning if no sheet has headings', async (t) => {
  const sheets = [
    { rows: [] },
    {
      name: 'Eins',
      rows: [
        ['a', 'b'],
        ['c', 'd'],
      ],
    },
    { rows: [['e', 'f']] },
  ]
  const { cards, warnings } = await read(t, await workbookOf({ sheets }))
  t.match(cards, [
    { question: 'a', level: 'import' },
    { question: 'c', level: 'import' },
  ])
  t.strictSame(warnings, [
    'Netz.xlsx:1: Nur das Blatt „Eins“ ist gelesen; die anderen haben keine Überschriften',
    'Netz.xlsx:1: Ohne bekannte Überschriften ist auch die erste Zeile eine Karte',
  ])
  t.strictSame((await read(t, await workbookOf({ sheets: [{ rows: [] }] }))).faults, [
    'Netz.xlsx:1: In der Mappe steht keine Karte',
  ])
})

t.test('handles merged cells, hidden rows and cells beside and below the table', async (t) => {
  const rows = [['Deck', ...HEADINGS], ['Netz', 'a', '1'], ['', 'b', '2', '', 'Randnotiz'], ['', 'c', '3'], ['Linux']]
  const after =
    '<mergeCells><mergeCell ref="A2:A4"/><mergeCell ref="B1:C1"/><mergeCell ref="A9:XFD1048576"/></mergeCells>'
  const { cards, warnings } = await read(
    t,
    await workbookOf(sheet(rows, { after, rowAttributes: { 3: 'hidden="1"' } })),
  )
  t.match(
    cards,
    ['a', 'b', 'c'].map((question) => ({ deck: 'Netz', question })),
  )
  t.strictSame(warnings, [
    'Netz.xlsx:1: 1 ausgeblendete Zeilen sind dabei',
    'Netz.xlsx:1: 1 Zeilen ohne Frage und Antwort bleiben weg',
    'Netz.xlsx:3: Rechts neben der Tabelle steht noch etwas; es wird nicht übernommen',
  ])
})

t.test('property: reads the texts of any table', async (t) => {
  const unit = fc.constantFrom('a', 'ä', '€', '😀', '"', ';', '\n', '\t', ' ', '&', '<', "'", '=', '-', '7', '_x0041_')
  const text = fc.string({ unit, minLength: 1 }).filter((cell) => cell.trim() !== '')
  const table = fc.uniqueArray(fc.tuple(text, text), {
    minLength: 1,
    maxLength: 8,
    selector: ([question]) => question.trim(),
  })
  const escaped = (cell: string) => cell.replaceAll('_x', '_x005F_x')
  await fc.assert(
    fc.asyncProperty(table, fc.boolean(), async (rows, isShared) => {
      const cells = rows.map((row) => row.map(escaped))
      const shared = cells.flat().map((cell) => `<si><t>${escapeXml(cell)}</t></si>`)
      const numbered = rows.map((_, at) => [0, 1].map((side) => ({ xml: `<c t="s"><v>${at * 2 + side}</v></c>` })))
      const book = isShared
        ? { ...sheet([HEADINGS, ...numbered]), shared: shared.join('') }
        : sheet([HEADINGS, ...cells])
      for (const bytes of [
        await workbookOf(book),
        await writeXlsx({ sheets: [{ name: 'A', rows: [HEADINGS, ...cells] }] }),
      ]) {
        const { cards, faults } = await read(t, bytes)
        assert.deepEqual(faults, [])
        assert.deepEqual(
          cards.map(({ question, answer }) => [question, answer]),
          rows.map((row) => row.map((cell) => cell.trim())),
        )
      }
    }),
    { numRuns: runs(20) },
  )
})

t.test('refuses malicious workbooks', async (t) => {
  const refusal = async (bytes: Uint8Array) => (await read(t, bytes)).faults[0]
  const refusalInWorker = async (bytes: Uint8Array) => (await read(t, bytes, true)).faults[0]
  const part = (name: string, content: string | Uint8Array) =>
    workbookOf({ ...sheet([HEADINGS, ['a', 'b']]), shared: '', entries: { [name]: content } })
  const tooLarge = /^:0: .*zu groß/
  const name = 'xl/worksheets/sheet0.xml'
  t.match(await refusal(declareSize(await part(name, ''), name, 256 * 2 ** 20 + 1)), tooLarge)
  const strings = `<sst>${'<si><t>x</t></si>'.repeat(20)}<si><t>${'x'.repeat(65 * 2 ** 20)}</t></si></sst>`
  const first = { xml: '<c t="s"><v>0</v></c>' }
  const withStrings = await workbookOf({
    ...sheet([[first, first]]),
    shared: '',
    entries: { 'xl/sharedStrings.xml': strings },
  })
  t.match(await refusalInWorker(withStrings), tooLarge)
  const many = '<row><c t="inlineStr"><is><t>Frage</t></is></c><c t="inlineStr"><is><t>Antwort</t></is></c></row>'
  const rows = `<worksheet><sheetData>${many}${'<row><c><v>1</v></c><c><v>2</v></c></row>'.repeat(100_100)}`
  t.match(await refusalInWorker(await part(name, rows)), tooLarge)
  const merges = '<mergeCell ref="A1:A1048576"/>'.repeat(100_000)
  t.equal(await refusal(await workbookOf(sheet([HEADINGS, ['a', 'b']], { after: merges }))), undefined)
  const entities = `<!DOCTYPE x [<!ENTITY a "${'x'.repeat(1_000)}">]><worksheet><sheetData><row><c t="str"><v>&a;</v></c></row>`
  t.match((await read(t, await part(name, entities))).faults[0], 'Netz.xlsx:1: Die Tabelle hat nur eine Spalte')
  t.match(await refusal(await workbookOf({ sheets: Array.from({ length: 257 }, () => ({ rows: [] })) })), tooLarge)
  const whole = await workbookOf(sheet([HEADINGS, ['a', 'b']]))
  for (let at = 100; at < whole.length; at += 97) {
    const { faults } = await read(t, whole.subarray(0, at))
    t.equal(faults.length, 1, `cut at ${at}`)
  }
})

t.test('does not read other Office documents as workbooks', async (t) => {
  const rels = '<Relationships><Relationship Id="r" Type="x/officeDocument" Target="TARGET"/></Relationships>'
  const refusal = async (target: string, main = '<x/>') =>
    (
      await read(
        t,
        await zipOf({ '[Content_Types].xml': '', '_rels/.rels': rels.replace('TARGET', target), [target]: main }),
      )
    ).faults
  t.match(await refusal('word/document.xml'), [/Das ist ein Word-Dokument \(\.docx\)/])
  t.match(await refusal('ppt/presentation.xml'), [/Das ist eine Präsentation \(\.pptx\)/])
  t.match(await refusal('xl/workbook.bin'), [/Das ist eine binäre Excel-Datei \(\.xlsb\)/])
  t.strictSame(await refusal('visio/document.xml'), [':0: Die Datei ist kein Anki-Paket'])
})
