import t from 'tap'
import { FaultyContent, NOT_A_PACKAGE } from '../../../../src/domain/content/refusals.js'
import { readFile } from '../../../../src/services/content/upload/readers/read-file.js'
import { deckFile } from '../../../support/content.js'
import { gifOf } from '../../../support/pictures.js'
import { schema11, writeUpload, zipOf } from '../../../support/upload-packages.js'
import { workbookOf } from '../../../support/workbooks.js'

type Tap = Parameters<typeof writeUpload>[0]

async function read(t: Tap, bytes: Uint8Array | string, deck?: string) {
  const { file, workFolder } = writeUpload(t, bytes)
  return readFile(file, { fileName: 'upload', defaultDeck: 'D', workFolder, levels: [], deck })
}

async function refusalOf(t: Tap, bytes: Uint8Array | string): Promise<string | undefined> {
  try {
    await read(t, bytes)
  } catch (error) {
    return error instanceof FaultyContent ? error.faults[0]?.message : (error as Error).message
  }
  return undefined
}

/** Returns a file in Office's old binary format: header, empty sector, and directory with the name of the stream. */
function compoundFile(stream: string): Buffer {
  const header = Buffer.alloc(512)
  header.write('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'latin1')
  header.writeUInt16LE(9, 0x1e)
  header.writeUInt32LE(1, 0x30)
  const directory = Buffer.alloc(512)
  directory.write('Root Entry', 0, 'utf16le')
  directory.write(stream, 128, 'utf16le')
  return Buffer.concat([header, Buffer.alloc(512), directory])
}

t.test('names the type of a foreign file and the remedy', async (t) => {
  const ofType = (type: string) => zipOf({ mimetype: type, 'content.xml': '<x/>' }, false)
  const files: [bytes: Uint8Array | string, message: RegExp][] = [
    [compoundFile('Workbook'), /^Das ist eine alte Excel-Datei \(\.xls\)\. Speichere sie als \.xlsx oder CSV/],
    [compoundFile('EncryptedPackage'), /^Die Datei ist mit einem Passwort geschützt\. Speichere sie ohne Passwort/],
    [compoundFile('WordDocument'), /^Das ist ein Word-Dokument \(\.doc\)/],
    [compoundFile('Anderes'), /^Das ist eine Datei eines alten Office-Programms/],
    [compoundFile('Workbook').subarray(0, 100), /^Das ist eine Datei eines alten Office-Programms/],
    [await ofType('application/vnd.oasis.opendocument.spreadsheet'), /^Das ist eine OpenDocument-Tabelle \(\.ods\)/],
    [await ofType('application/vnd.oasis.opendocument.text'), /^Das ist ein Textdokument \(\.odt\)/],
    [await ofType('application/epub+zip'), /^Das ist ein E-Book/],
    ['%PDF-1.7\n%\xe2', /^Das ist ein PDF\. Übertrage die Karten in eine Tabelle/],
    [gifOf(1), /^Das ist ein Bild\. Bilder kommen mit einem Anki-Paket/],
    [schema11({}), /^Das ist eine Datenbank, vielleicht eine Sammlung von Anki\. Exportiere sie in Anki als \.apkg/],
    [Buffer.from('7z\xbc\xaf\x27\x1c\0\x04', 'latin1'), /Archiv im Format 7z/],
    [Buffer.from([0x1f, 0x8b, 8, 0]), /Archiv im Format gzip/],
    ['{\\rtf1 Frage', /^Das ist ein Textdokument \(\.rtf\)/],
    [
      ':TYPE:MC:1:0:C\r\n:TITLE:Ports\r\n:QUESTION:H\r\nSSH?\r\n:ANSWER1:100:H\r\n22\r\n',
      /^Das sind Fragen im Format WebCT\./,
    ],
    [
      'Paris liegt, wie man weiß, in {1:SHORTANSWER:=Frankreich#Ja;100%Gallien}.\n',
      /^Das ist ein Lückentext von Moodle/,
    ],
    [
      'Zeit: {2:MC:~gestern~=heute} oder {:NUMERICAL:=5:0.1}?',
      /Fragen kommen aus Moodle-XML, GIFT, Aiken oder einer Tabelle/,
    ],
    ['Hund::dog\nKatze::cat\n', /^Frage und Antwort sind in dieser Datei mit „::“ getrennt/],
    [`[${'{"q": "Hund; dog", "a": 1},\n'.repeat(500)}]`, /^Das sind Daten im Format JSON/],
    [
      '<?xml version="1.0"?>\n<!-- x -->\n<questestinterop xmlns="x"><item/></questestinterop>',
      /^Das sind Fragen .* QTI/,
    ],
    ['<assessmentItem identifier="a">\n', /^Das sind Fragen im Format QTI\. Fragen kommen aus Moodle-XML/],
    [await zipOf({ 'a.csv': 'a;b', 'b.tsv': 'a\tb' }), /mehrere Tabellen \(„a\.csv“, „b\.tsv“ …\)/],
    [await zipOf({ 'a/b.xlsx': await workbookOf({ sheets: [] }) }), /^Im Archiv liegt „a\/b\.xlsx“\. Packe es aus/],
  ]
  for (const [bytes, message] of files) t.match(await refusalOf(t, bytes), message)
  t.equal(await refusalOf(t, Buffer.alloc(100)), NOT_A_PACKAGE.message)
  t.equal(await refusalOf(t, await zipOf({ 'main.c': 'x', 'ARCHITECTURE.md': '# X' })), NOT_A_PACKAGE.message)
  for (const table of [
    'Was ist {1:SA:=x}?;Eine Lücke\n',
    'Was ist {1:SA:=x}?\tEine Lücke\n',
    'Frage,Antwort\n{1:SA:=x}?,Lücke\n',
  ]) {
    t.equal(await refusalOf(t, table), undefined)
  }
})

t.test('refuses a web page, but not a card about one', async (t) => {
  const page = '<head><title>x</title></head><body>a;b</body></html>'
  for (const begin of [
    '<!DOCTYPE html>\n<html lang="de">',
    '<html>',
    '\ufeff \n<html>\n',
    '<!-- x --><HTML>',
    '<table border=1>',
  ]) {
    t.match(await refusalOf(t, `${begin}${page}`), /^Das ist eine Webseite \(HTML\), keine Tabelle/, begin)
  }
  t.match(await refusalOf(t, `<?xml version="1.0"?><!DOCTYPE html><html>`), /Webseite/)
  t.match(
    await refusalOf(t, '<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>\n<Workbook/>'),
    /alte Excel-Datei/,
  )
  t.match(await refusalOf(t, '<?xml version="1.0"?><svg/>'), /^Das ist eine XML-Datei/)
  t.match((await read(t, '<html>;das <b>Wurzelelement</b>\n<body>;der Inhalt\n')).decks, [
    { cards: [{ question: '<html>' }, { question: '<body>' }] },
  ])
  t.match((await read(t, '<!doctype html>;Dokumenttyp\n')).decks, [{ cards: [{ answer: 'Dokumenttyp' }] }])
})

t.test('reads the only table of an archive', async (t) => {
  const zip = await zipOf({
    '__MACOSX/._karten.csv': 'x',
    'ordner/karten.csv': 'Frage;Antwort\nGrüße;ja',
    'ordner/lies.txt': 'x',
  })
  const { kind, decks } = await read(t, zip, 'Ziel')
  t.equal(kind, 'table')
  t.match(decks, [{ name: 'Ziel', cards: [{ question: 'Grüße', file: 'ordner/karten.csv', line: 2 }] }])
  t.equal(await refusalOf(t, await zipOf({ 'a.tsv': 'a\t"b' })), 'Anführungszeichen nicht geschlossen')
  const { decks: pasted } = await read(t, await zipOf({ 'a.csv': Buffer.from('Gr\xfc\xdfe;ja', 'latin1') }))
  t.match(pasted, [{ cards: [{ question: 'Grüße' }] }])
})

t.test('reads an archive of Markdown files without folders', async (t) => {
  const deck = deckFile('Netz', [{ id: 'dns', answer: 'Ein ![Buch](bilder/buch.gif)' }])
  for (const root of ['', 'inhalte/']) {
    const zip = await zipOf({
      [`${root}netz.md`]: deck,
      [`${root}spick.md`]: '# Spickzettel\n![](bilder/buch.gif)',
      [`${root}README.md`]: 'x',
      [`${root}bilder/buch.gif`]: gifOf(1),
      [`${root}.DS_Store`]: 'x',
      '__MACOSX/._netz.md': 'x',
    })
    const { kind, decks, sheets, pictures, warnings } = await read(t, zip)
    t.equal(kind, 'archive')
    t.match(decks, [{ name: 'Netz', slug: 'netz', cards: [{ file: 'netz.md' }] }])
    t.match(sheets, [{ slug: 'spick', title: 'Spickzettel', category: 'Allgemein' }])
    t.equal(pictures.length, 1)
    t.strictSame(warnings, [])
  }
  t.equal(await refusalOf(t, await zipOf({ 'a.md': deck })), 'Das Bild „bilder/buch.gif“ gibt es nicht')
  await t.rejects(read(t, await zipOf({ 'a.md': deck }), 'Ziel'), /bitte ohne „Deck“/)
})

t.test('reads UTF-16 without a byte order mark', async (t) => {
  const text = 'Frage;Antwort\r\nWas heißt „Größe“?;size 漢字\r\nZwei;€ 2\r\n'
  const little = Buffer.from(text, 'utf16le')
  const cards = [{ question: 'Was heißt „Größe“?', answer: 'size 漢字', line: 2 }, { answer: '€ 2' }]
  t.match((await read(t, little)).decks, [{ cards }])
  t.match((await read(t, Buffer.from(little).swap16())).decks, [{ cards }])
  t.match((await read(t, Buffer.concat([Buffer.from(text.repeat(300), 'utf16le')]))).decks, [{ cards }])
  for (const binary of [
    Buffer.alloc(4_000),
    Buffer.from('\x01\0\x02\0;\0\n\0', 'latin1'),
    Buffer.from('a\0\0b;\0\n\0'),
  ]) {
    t.equal(await refusalOf(t, binary), NOT_A_PACKAGE.message)
  }
})
