import { stringify } from 'csv-stringify/sync'
import t from 'tap'
import { decodeTable, looksLikeText } from '../../../src/domain/table/decode-table.js'
import { readTable, type TableDeck, type TableOptions } from '../../../src/domain/table/read-table.js'
import { guessSeparator, splitRecords } from '../../../src/domain/table/split-records.js'
import fc, { runs } from '../../support/property.js'

function read(text: string, options: Partial<TableOptions> = {}) {
  const faults: string[] = []
  const warnings: string[] = []
  const decks = readTable(text, {
    file: 'a.csv',
    defaultDeck: 'a',
    deck: undefined,
    level: undefined,
    levels: [],
    maxLength: 100,
    fault: (line, message) => faults.push(`${line}: ${message}`),
    warn: (line, message) => warnings.push(`${line}: ${message}`),
    count: () => {},
    ...options,
  })
  return { decks, cards: cardsOf(decks), faults, warnings }
}
const cardsOf = (decks: TableDeck[]) =>
  decks.flatMap(({ name, cards }) =>
    cards.map(({ question, answer, level, line }) => `${line} ${name}/${question}/${answer}/${level}`),
  )

t.test('wrong answers make a choice, and an explanation becomes the answer of the card', async (t) => {
  const optionsOf = (text: string) =>
    read(text).decks[0]?.cards.map(({ answer, options = [] }) => [
      answer,
      ...options.map(({ text, correct }) => `${correct ? '+' : '-'}${text}`),
    ])
  const headings = 'Frage;Antwort;Falsch 1;Falsch 2;Erklärung\n'
  t.same(optionsOf(`${headings}Wann?;72 Stunden;24 Stunden;'- 7 Tage;Art. 33\n`), [
    ['Art. 33', '+72 Stunden', '-24 Stunden', '-- 7 Tage'],
  ])
  t.same(optionsOf(`${headings}Wann?;72 Stunden;24 Stunden;;\n`), [['72 Stunden', '-24 Stunden']])
  t.same(optionsOf(`${headings}Wann?;72 Stunden;;;Art. 33\n`), [['72 Stunden\n\nArt. 33']])
  t.same(optionsOf('Question,Answer,Wrong,Explanation\nWhen?,72 h,24 h,GDPR\n'), [['GDPR', '+72 h', '-24 h']])
  t.same(read('Begriff;Erklärung;Falsch\na;b;c\n').decks[0]?.cards[0]?.answer, 'b', 'the only answer')
  t.match(read(`${headings}a;;c;d;e\n`).faults, ['2: Die Antwort ist leer'])
})

t.test('finds columns by heading or by position', async (t) => {
  t.same(read('Antwort;Notiz;Frage;Level\nb;x;a;leicht\n').cards, ['2 a/a/b/leicht'])
  t.same(read('question,answer,deck,id\na,b, X :: Y,7\n').decks[0]?.cards[0]?.identity, { by: 'id', id: '7' })
  t.same(read('question,answer,deck,id\na,b, X :: Y,7\n').cards, ['2 X::Y/a/b/import'])
  t.same(read('a\tb\tschwer\tD\ti1\n').cards, ['1 D/a/b/schwer'])
  t.same(read('Vorderseite;Rückseite\n"a;""b""\nc";d').cards, ['2 a/a;"b"\nc/d/import'])
  t.same(read('Frage;Foo;Antwort\na;x;b').warnings, [
    '1: Nicht übernommen: „Foo“',
    '1: Ohne die Spalte „Id“ wird eine Karte an ihrer Frage wiedererkannt',
  ])
})

t.test('takes the separator from a first line for Excel', async (t) => {
  t.same(read('sep=;\nFrage;Antwort\na, b;c, d, e').cards, ['3 a/a, b/c, d, e/import'])
  t.same(read('SEP=|\na;b|c').cards, ['2 a/a;b/c/import'])
  t.same(read('"sep=,"\na;b,c').cards, ['2 a/a;b/c/import'])
  t.same(read('sep=\t\na;b\tc').cards, ['2 a/a;b/c/import'])
  t.same(read('sep=;').faults, ['1: Die Tabelle ist leer'])
  t.same(read('sep;Trenner\n').cards, ['1 a/sep/Trenner/import'])
})

t.test('guesses the separator of a table whose texts contain other separators', async (t) => {
  const question = 'Was sind TCP, UDP, IP?'
  for (const separator of ['\t', ';']) {
    const row = `${question}${separator}Protokolle, kurz, Regeln`
    t.same(read(row).cards, [`1 a/${question}/Protokolle, kurz, Regeln/import`])
    t.same(read(`${row}\nb${separator}c\n`).cards.at(-1), '2 a/b/c/import')
    t.same(read(`"Was\n(kurz)?"${separator}b\nx${separator}"y, z"\n`).cards, [
      '1 a/Was\n(kurz)?/b/import',
      '3 a/x/y, z/import',
    ])
  }
  t.same(read('a, b\tc\tleicht\nd, e\tf').cards, ['1 a/a, b/c/leicht', '2 a/d, e/f/import'], 'rows of other lengths')
  t.same(read('a; b; c,d\ne;,f\n').cards, ['1 a/a; b; c/d/import', '2 a/e;/f/import'])
  t.same(read('Frage,Antwort\na;b;c;d\n').faults, ['2: Die Antwort ist leer'], 'no separator in each record')
})

t.test('recognises the usual pairs of headings', async (t) => {
  const pairs = ['Begriff;Definition', 'Vorderseite;Rückseite', 'Front;Back', 'Term;Definition', 'Wort;Übersetzung']
  for (const headings of [...pairs, 'Vokabel;Bedeutung', 'Aufgabe;Lösung', 'FRAGE:;Antwort *', 'Abkürzung;Erklärung']) {
    const { cards, faults } = read(`${headings}\na;b`)
    t.same([cards, faults], [['2 a/a/b/import'], []], headings)
  }
  t.same(read('Definition;Begriff\nb;a').cards, ['2 a/a/b/import'])
  t.same(
    read('Wort;word\nHaus;house').cards,
    ['1 a/Wort/word/import', '2 a/Haus/house/import'],
    'without a pair there is no heading',
  )
  t.same(read('Frage;Begriff;Antwort\na;x;b').cards, ['2 a/a/b/import'])
  t.same(read('Begriff;Wort;Definition\na;x;b').warnings[0], '1: Nicht übernommen: „Wort“')
})

t.test('an exported table with an additional column', async (t) => {
  const rows = "Frage;Antwort;Level;Deck;Id;Notiz\na;'- b;l;D;i;x"
  t.same(read(rows).cards, ['2 D/a/- b/l'])
  t.same(read(rows.replace('Level;Deck', 'Deck;Level')).cards, ["2 l/a/'- b/D"])
})

t.test("Anki's text export", async (t) => {
  const text = [
    '#separator:tab',
    '#html:true',
    '#guid column:1',
    '#notetype column:2',
    '#deck column:3',
    '#tags column:6',
    'g(1\tBasis\tA::B\t<b>x</b> &lt;\t"y<br>z[sound:a.mp3]"\tt1 marked',
  ].join('\n')
  const { decks, cards, warnings } = read(text, { levels: ['t1'] })
  t.same(cards, ['7 A::B/**x** </y  \nz[Ton: a.mp3]/t1'])
  t.same(decks[0]?.cards[0]?.identity, { by: 'note', guid: 'g(1', ord: 0 })
  t.same(warnings, ['7: Ein Ton oder Film wird nicht übernommen; sein Name steht im Text'])
  t.same(read('#separator:Semicolon\n#columns:Wort;Bedeutung;Extra\n#deck:D\n#tags:t\na;b;c').cards, ['5 D/a/b/t'])
  t.same(read('#kein Kopf;b\nc;d').cards, ['1 a/#kein Kopf/b/import', '2 a/c/d/import'])
})

t.test('a table with only malformed rows has that fault alone', async (t) => {
  t.same(read('Frage;Antwort\na;"offen').faults, ['2: Anführungszeichen nicht geschlossen'])
  t.same(read('a;"offen').faults, ['1: Anführungszeichen nicht geschlossen'])
})

t.test('deck and level have a maximum length in characters', async (t) => {
  const fault = ['2: Deck und Level dürfen höchstens 200 Zeichen haben']
  const row = (deck: string, level: string, tags = '') =>
    read(`Frage;Antwort;Deck;Level;Tags\na;b;${deck};${level};${tags}\n`)
  t.same(row('😀'.repeat(200), 'x'.repeat(200)).faults, [])
  t.same(row('x'.repeat(201), 'l').faults, fault)
  t.same(row('d', '😀'.repeat(201)).faults, fault)
  t.same(row('d', '', 'x'.repeat(2 ** 20)).faults, fault)
  t.same(read(`#deck:${'x'.repeat(201)}\na\tb\n`).faults, fault)
  const own = `Frage;Antwort;Level;Deck;Id\na;b;l;${'d'.repeat(201)};k`
  t.same(read(own).faults, [], 'texts that the folder allows are read back')
})

t.test('reports all faults with their lines', async (t) => {
  const text = [
    'Frage;Antwort',
    'a;"offen',
    'b;"zu" und mehr',
    ';c',
    'd;',
    'e;f;g',
    `${'x'.repeat(101)};y`,
    'gut;gut',
  ].join('\n')
  const { faults, cards } = read(text)
  t.same(faults, [
    '2: Anführungszeichen nicht geschlossen',
    '3: hinter dem schließenden Anführungszeichen steht noch Text',
    '4: Die Frage ist leer',
    '5: Die Antwort ist leer',
    '6: Die Zeile hat 3 statt 2 Felder',
    '7: Die Frage ist länger als 100 Zeichen',
  ])
  t.same(cards, ['8 a/gut/gut/import'])
  t.same(read('').faults, ['1: Die Tabelle ist leer'])
  t.same(read('Frage;Antwort\n\n').faults, ['1: Unter den Überschriften steht keine Karte'])
  t.same(read('Frage;Frage\na;b').faults, ['1: Die Spalte „Frage“ gibt es zweimal', '1: Die Spalte „Antwort“ fehlt'])
})

t.test('warns of an equal row, and refuses another answer or a repeated id', async (t) => {
  t.same(read('a;b\na;b\n').warnings.at(-1), '2: Die Karte steht schon in Zeile 1')
  t.same(read('a;b\na;c\n').faults, ['2: Die Frage steht schon in Zeile 1, mit einer anderen Antwort'])
  t.same(read('Frage;Antwort;Id\na;b;1\nc;d;1').faults, ['3: Die Id „1“ hat schon Zeile 2'])
  t.same(read('Frage;Antwort;Deck\na;b;X\na;c;Y').faults, [])
})

t.test('warns of pictures; a given deck and level apply to all cards', async (t) => {
  t.same(read('a ![x](y.png) ![z](https://a/b.png);b').warnings.at(-1), '1: Das Bild „y.png“ ist nicht in der Tabelle')
  t.same(read('Frage;Antwort;Deck;Level\na;b;X;l', { deck: 'D', level: 'L' }).cards, ['2 D/a/b/L'])
})

t.test('reads cells of exported tables literally', async (t) => {
  t.same(read(`Frage;Antwort;Level;Deck;Id\n"'- a";"    b\n";l;D;i`).cards, ['2 D/- a/    b\n/l'])
})

t.test('detects the encoding of a table, and bytes that are not text', async (t) => {
  const decode = (bytes: Uint8Array) => decodeTable(bytes)
  t.same(decode(Buffer.from('\ufeffä\r\nb\rc')), { text: 'ä\nb\nc', encoding: 'UTF-8' })
  t.same(decode(Buffer.from('\ufeffä', 'utf16le')), { text: 'ä', encoding: 'UTF-16' })
  t.same(decode(Buffer.from([0x84, 0x80, 0xe4])), { text: '„€ä', encoding: 'Windows-1252' })
  t.same(decode(Buffer.from('a\nb\0')), { badLine: 2 })
  t.ok(looksLikeText(Buffer.from('ä;b\n')))
  t.ok(looksLikeText(Buffer.from('\ufeffä', 'utf16le')))
  t.notOk(looksLikeText(Buffer.from('SQLite format 3\0')))
})

t.test('property: reads what a spreadsheet writes', async (t) => {
  const cell = fc.string({ unit: fc.constantFrom('a', 'ä', '"', ';', ',', '\t', '\n', ' ', "'") })
  const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 6 })
  fc.assert(
    fc.property(table, fc.constantFrom(';', ',', '\t'), (rows, delimiter) => {
      const text = stringify(rows, { delimiter })
      const full = rows.filter((row) => row.some((field) => field.trim() !== ''))
      const records = [...splitRecords(text, delimiter)]
      return (
        JSON.stringify(records.map((record) => ('fields' in record ? record.fields : record))) === JSON.stringify(full)
      )
    }),
  )
  t.equal(guessSeparator('"a;b;c",d\n'), ',')
  t.equal(guessSeparator('a b;c'), ';')
})

t.test('property: guesses the separator of a table from a spreadsheet', async () => {
  const tables = (units: string[]) => {
    const cell = fc.string({ unit: fc.constantFrom(...units), maxLength: 8 }).map((text) => `x${text}`)
    return fc
      .integer({ min: 2, max: 4 })
      .chain((columns) =>
        fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), { minLength: 1, maxLength: 30 }),
      )
  }
  const units = ['a', ' ', '"', '\n', ',']
  const guesses = (delimiter: string) => (rows: string[][]) =>
    guessSeparator(stringify(rows, { delimiter })) === delimiter
  fc.assert(fc.property(tables(units), guesses(';')))
  fc.assert(fc.property(tables([...units, ';']), guesses('\t')))
})

t.test('property: reports each line at most once', async (t) => {
  const text = fc.string({ unit: fc.constantFrom('a', '"', ';', '\n'), maxLength: 60 })
  fc.assert(
    fc.property(text, (source) => {
      const lines = [...splitRecords(source, ';')].map(({ line }) => line)
      return lines.every((line, index) => line > (lines[index - 1] ?? 0) && line <= source.split('\n').length)
    }),
    { numRuns: runs(300) },
  )
  const long = `${'"x\n'.repeat(50_000)}`
  t.equal([...splitRecords(long, ';')].length, 50_000)
})
