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

const QTI_MANIFEST = '<manifest xmlns="http://www.imsglobal.org/xsd/imscp_v1p1"><resource type="imsqti_item_xmlv2p1"/>'
const SCORM_MANIFEST = '<manifest><metadata><schema>ADL SCORM</schema></metadata></manifest>'

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
    [
      'MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="x"\r\n\r\n--x\r\n<html>;</html>',
      /^Das ist eine gespeicherte Webseite oder Notiz \(\.mht\)\. Öffne sie, kopiere/,
    ],
    ['Hund::dog\nKatze::cat\n', /^Frage und Antwort sind in dieser Datei mit „::“ getrennt/],
    [`[${'{"q": "Hund; dog", "a": 1},\n'.repeat(500)}]`, /^Das sind Daten im Format JSON/],
    [
      '<?xml version="1.0"?>\n<!-- x -->\n<questestinterop xmlns="x"><item/></questestinterop>',
      /^Das sind Fragen .* QTI/,
    ],
    ['<assessmentItem identifier="a">\n', /^Das sind Fragen im Format QTI\. Fragen kommen aus Moodle-XML/],
    [await zipOf({ 'h5p.json': '{}', 'content/content.json': '{}' }), /^Das ist ein Inhalt von H5P/],
    [
      await zipOf({ 'imsmanifest.xml': QTI_MANIFEST, 'frage.xml': '<assessmentItem/>' }),
      /^Das sind Fragen im Format QTI/,
    ],
    [
      await zipOf({ 'kurs/imsmanifest.xml': SCORM_MANIFEST, 'kurs/namen.csv': 'a;b' }),
      /^Das ist ein Kurs im Format SCORM/,
    ],
    [await zipOf({ 'imsmanifest.xml': '<manifest/>' }), /^Das ist ein Kurspaket \(IMS\)/],
    [await zipOf({ 'data.json': '{"~:version":2,"~:decks":[]}' }), /^Das ist ein Export von Mochi/],
    [await zipOf({ 'data.edn': '{:version 2}', 'bild.png': 'x' }), /^Das ist ein Export von Mochi/],
    [await zipOf({ 'moodle_backup.xml': '<x/>' }), /^Das ist die Sicherung eines Kurses von Moodle/],
    [
      await zipOf({ 'a/frage.xml': '<?xml version="1.0"?><qti-assessment-item a="b"/>' }),
      /^Im Archiv liegt „a\/frage\.xml“\. Das sind Fragen im Format QTI/,
    ],
    [
      await zipOf({ 'a.ods': await ofType('application/vnd.oasis.opendocument.spreadsheet') }),
      /^Das ist ein Archiv in/,
    ],
    [await zipOf({ 'a.xls': compoundFile('Workbook') }), /^Das ist eine alte Excel-Datei/],
  ]
  for (const [bytes, message] of files) t.match(await refusalOf(t, bytes), message)
  t.equal(await refusalOf(t, Buffer.alloc(100)), NOT_A_PACKAGE.message)
  t.match(
    await refusalOf(t, await zipOf({ 'main.c': 'x', 'ARCHITECTURE.md': '# X' })),
    /^Das Archiv \(\.zip\) enthält nichts/,
  )
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
    '<!doctypehtml><html>',
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
  t.equal(await refusalOf(t, await zipOf({ 'a.tsv': 'a\tb\nc\t"d' })), 'Anführungszeichen nicht geschlossen')
  const { decks: pasted } = await read(t, await zipOf({ 'a.csv': Buffer.from('Gr\xfc\xdfe;ja', 'latin1') }))
  t.match(pasted, [{ cards: [{ question: 'Grüße' }] }])
})

const MOODLE = `<quiz><question type="category"><category><text>$course$/top/Netze</text></category></question>
<question type="shortanswer"><name><text>DNS</text></name><questiontext format="html"><text>DNS?</text></questiontext>
<answer fraction="100"><text>53</text></answer></question></quiz>`
const AIKEN = 'Welcher Port gehört zu SSH?\nA) 22\nB) 23\nANSWER: A\n'

t.test('reads an archive of tables and question files as one upload', async (t) => {
  const files = {
    'export/netze.xml': MOODLE,
    'export/ports.gift': 'HTTPS?{=443 ~80}\n\nFTP?{~20~=21}',
    'export/ssh.txt': AIKEN,
    'export/karten.csv': 'Frage;Antwort;Deck\nNTP?;123;Netze\n',
    'export/mappe.xlsx': await workbookOf({
      sheets: [
        {
          rows: [
            ['Frage', 'Antwort'],
            ['TFTP?', '69'],
          ],
        },
      ],
    }),
    'export/lies.txt': 'Ein Text ohne Karten.\nNoch eine Zeile.\n',
    'export/logo.png': gifOf(1),
    '__MACOSX/._ssh.txt': 'x',
  }
  const { kind, decks, warnings } = await read(t, await zipOf(files))
  t.equal(kind, 'table')
  t.strictSame(
    decks.map(({ name, cards }) => [name, cards.map(({ question, file, line }) => `${file}:${line}: ${question}`)]),
    [
      ['Netze', ['export/karten.csv:2: NTP?', 'export/netze.xml:2: DNS?']],
      [
        'D',
        [
          'export/mappe.xlsx:2: TFTP?',
          'export/ports.gift:1: HTTPS?',
          'export/ports.gift:3: FTP?',
          'export/ssh.txt:1: Welcher Port gehört zu SSH?',
        ],
      ],
    ],
  )
  t.match(
    warnings.map(({ file, message }) => `${file}: ${message}`).filter((line) => /bleibt weg|~=/.test(line)),
    [
      /^export\/lies\.txt: Diese Datei bleibt weg\. Das ist ein Text, in dem keine Spalten/,
      /^export\/ports\.gift: „FTP\?“: Vor einer Antwort steht „~=“/,
      /^upload: Was im Archiv sonst noch liegt, bleibt weg: „export\/logo\.png“$/,
    ],
  )
})

t.test('a faulty file in an archive refuses it by name', async (t) => {
  const zip = await zipOf({
    'a.gift': 'HTTPS?{=443 ~80}',
    'b.csv': 'Frage;Antwort\nNTP?;\n',
    'c.csv': Buffer.from([0, 1, 2, 3]),
    'd.xlsx': await zipOf({ 'e.csv': 'a;b' }),
    'f.csv': 'Hund;dog;der;die Hunde\nKatze;cat;die;die Katzen\n',
  })
  const faults = await read(t, zip).catch((error) => error.faults)
  t.strictSame(
    faults.map(({ file, message }: { file: string; message: string }) => `${file}: ${message}`),
    [
      'b.csv: Die Antwort ist leer',
      'c.csv: Das Format dieser Datei ist unbekannt',
      'd.xlsx: Das ist ein Archiv in einem Archiv. Packe es aus und lade es selbst hoch.',
      'f.csv: Was in den Spalten steht, ist nicht zu erkennen; lade diese Tabelle für sich hoch',
    ],
  )
})

t.test('limits the cards of all files of an archive together', async (t) => {
  const rows = Array.from({ length: 60_000 }, (_, at) => `Frage ${at};a\n`).join('')
  const zip = await zipOf({ 'a.csv': `Frage;Antwort\n${rows}`, 'b.csv': `Frage;Antwort\n${rows}` })
  t.equal(await refusalOf(t, zip), 'Datei zu groß: mehr als 100.000 Karten')
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
