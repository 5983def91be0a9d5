import { execFile, spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import jsQR from 'jsqr'
import { PNG } from 'pngjs'
import t, { type Test } from 'tap'
import { groupCode } from '../../src/domain/certificates/code.js'
import { type PrintedCertificate, printCertificate } from '../../src/services/print/certificate.js'
import { printSession } from '../../src/services/print/session.js'

const run = promisify(execFile)
const hasPoppler = spawnSync('pdftotext', ['-v']).error === undefined
const skip = !hasPoppler && 'no pdftotext'

/** Letters of the official languages of the EU, and of some other languages in Latin script */
const LETTERS =
  `aàâäãåāăąæábcçćċčdđďeéèêëėēęěfgğģġhħiîïíīįıjkķlłľĺļmnñńňņŋoôöòóõøōőœpqrřŕsšśşșßẞtťţțŧuùûüúūůűųvwxyÿýzžźż
αάβγδεέζηήθιίϊΐκλμνξοόπρσςτυύϋΰφχψωώабвгдежзийклмнопрстуфхцчшщъьюя`.replaceAll(/\s/g, '')

const word = (from: number) =>
  Array.from({ length: 7 }, (_, index) => LETTERS[(from * 7 + index * (1 + (from % 7))) % LETTERS.length])
    .join('')
    .replace(/^./, (letter) => letter.toLocaleUpperCase('de'))

/** Names that could cause faults in fonts, line breaks or tables */
const ODD = [
  ...["Sean O'Brien", 'Ada "Lady" Lovelace', '=SUM(A1:A9)', '-2+3', '<b>Fett</b> & Söhne', 'Affinität fi ffl'],
  ...[
    'Jürgen'.normalize('NFD'),
    'Ştefania Ţepeş',
    'Ștefania Țepeș',
    'STRAẞE',
    `${'Wolkenkuckucksheim-'.repeat(10)}Ende`.slice(0, 200),
  ],
  ...['Λένα Παπαδοπούλου', 'Иван Георгиев', 'a\u202eb'],
]
const NAMES = [
  ...ODD,
  ...Array.from({ length: 500 - ODD.length }, (_, index) => `${word(index)} ${word(index + 91)}-${word(index + 203)}`),
]
/** Names with characters that the fonts lack, with the expected text in the PDF */
const LACKING = new Map([
  ['محمد علي', '���� ���'],
  ['דוד Levi', '��� Levi'],
  ['Anna 😀 李', 'Anna � �'],
])

const certificateOf = (name: string, change: Partial<PrintedCertificate> = {}): PrintedCertificate => ({
  code: 'AB7K9QF2M4X8ZC6T3VN5HRWDJE',
  address: 'https://lernen.example.de/schulung/nachweis/AB7K9QF2M4X8ZC6T3VN5HRWDJE',
  language: 'de',
  logo: null,
  issued_at: new Date('2026-12-05T10:00:00Z'),
  revoked_at: null,
  replaced_by: null,
  snapshot: {
    format: 1,
    name,
    title: 'Brandschutz „Halle 3“',
    period: '2026-12-01',
    completed_on: '2026-12-05',
    valid_until: '2027-12-05',
    parts: [
      { kind: 'sheet', title: 'Fluchtwege', done_on: '2026-12-03', version: 4, sha256: 'ab'.repeat(32) },
      { kind: 'personal', title: 'Rundgang', done_on: '2026-12-04', confirmed_by: 'Zoë Żak', note: 'Halle 3' },
    ],
  },
  ...change,
})
const sessionOf = (names: readonly string[], language: 'de' | 'en' = 'de') => ({
  language,
  title: 'Brandschutz',
  parts: ['Fluchtwege', 'Rundgang'],
  day: '2026-12-05',
  at: new Date('2026-12-05'),
  persons: names.map((name, index) => ({ id: index + 1, name })),
})

/**
 * Composes characters, and removes white space and direction marks. The programs that read the PDF break lines as on
 * the page, so white space differs from the source text.
 */
const squeeze = (text: string) => text.normalize('NFC').replaceAll(/[\s\u202a-\u202e]/g, '')

async function readPdf(t: Test, pdf: Buffer, program: 'pdftotext' | 'pdfinfo', ...options: string[]) {
  const file = path.join(t.testdir({}), 'x.pdf')
  await writeFile(file, pdf)
  const { stdout, stderr } = await run(program, [...options, file, ...(program === 'pdftotext' ? ['-'] : [])])
  t.equal(stderr, '', 'the file has no faults')
  return stdout
}

// Must be first, before another test prints „ı“.
t.test('the text of a PDF does not depend on the ones printed before', { skip }, async (t) => {
  // The font prints this with „ı“ and a ring.
  await printSession(sessionOf(['i\u030a']))
  t.match(await readPdf(t, await printSession(sessionOf(['Işıl'])), 'pdftotext'), /Işıl/)
})

t.test('a list prints 500 names as text that programs read', { skip }, async (t) => {
  t.equal(new Set(NAMES).size, 500)
  const letters = NAMES.join('')
  t.strictSame(
    [...LETTERS].filter((letter) => !letters.includes(letter)),
    [],
  )
  const pdf = await printSession(sessionOf([...NAMES, ...LACKING.keys()]))
  const text = squeeze(await readPdf(t, pdf, 'pdftotext', '-raw'))
  const missing = NAMES.filter((name) => !text.includes(squeeze(name)))
  t.strictSame(missing, [])
  for (const [index, printed] of [...LACKING.values()].entries()) {
    t.ok(text.includes(squeeze(`${printed} (Nr. ${501 + index})`)), printed)
  }
  const pages = Number(/Seite1von(\d+)/.exec(text)?.[1])
  t.ok(pages > 10 && text.includes(`Seite${pages}von${pages}`))
  const structure = await readPdf(t, pdf, 'pdfinfo', '-struct')
  t.equal(structure.match(/\bTR\b/g)?.length, 504, 'a row for each person, and one header')
  t.equal(structure.match(/\bTH\b/g)?.length, 3)
  t.equal(structure.match(/\bTable\b/g)?.length, 1)
})

t.test('a list is printed in English, with names and titles as they are', { skip }, async (t) => {
  const pdf = await printSession(sessionOf(['Erika Muster', 'Anna 😀'], 'en'))
  const expected = [
    ...['List of participants', 'Brandschutz', 'Content: Fluchtwege, Rundgang'],
    ...['Date', 'Place', 'Conducted by', 'Signature'],
    'This PDF shows � in place of some characters. “No.” is the number of the account.',
    ...['Name', 'Signature', '1', 'Erika Muster', '2', 'Anna � (No. 2)'],
    ...['Brandschutz, as of 5 December 2026', 'Page 1 of 1'],
  ]
  t.equal(squeeze(await readPdf(t, pdf, 'pdftotext', '-raw')), squeeze(expected.join('')))
  t.match(await readPdf(t, pdf, 'pdfinfo'), /^Title: +List of participants: Brandschutz$/m)
  t.ok(pdf.includes('/Lang (en-GB)'), 'tells screen readers the language')
})

t.test('a printed proof contains its data, with a QR code of its page', { skip }, async (t) => {
  const names = ['Łukasz Öztürk-Großmann', ODD[10] as string, 'Ştefania Ţepeş', 'محمد علي']
  for (const name of names) {
    const certificate = certificateOf(name)
    const pdf = await printCertificate(certificate)
    t.ok(pdf.equals(await printCertificate(certificate)), 'the same bytes')
    const text = squeeze(await readPdf(t, pdf, 'pdftotext', '-raw'))
    const expected = [
      ...['Nachweis', 'Brandschutz „Halle 3“', 'Name', LACKING.get(name) ?? name],
      ...['Abgeschlossen am', '05.12.2026', 'Gültig bis', '05.12.2027'],
      ...(LACKING.has(name)
        ? ['Einige Schriftzeichen zeigt dieses PDF nicht, sondern �. Die Seite unten zeigt sie richtig.']
        : []),
      ...[
        'Bestandteile',
        'Unterlage: Fluchtwege',
        `Gelesen und bestätigt am 03.12.2026, Fassung 4 (SHA-256 ${'ab'.repeat(8)})`,
      ],
      ...['Gespräch: Rundgang', 'Persönliche Unterweisung am 04.12.2026, bestätigt von Zoë Żak. Halle 3'],
      ...[
        'Zum Vergleich mit diesem Blatt:',
        certificate.address,
        groupCode(certificate.code),
        'Ausgestellt am 05.12.2026',
      ],
    ]
    t.equal(text, squeeze(expected.join('')), name)
  }
})

t.test(
  'a printed proof names the company, the personnel number and a period that was completed late',
  { skip },
  async (t) => {
    const certificate = certificateOf('Ada')
    const more = {
      format: 2 as const,
      issuer: `Müller & Söhne ${'Maschinenbau '.repeat(14)}GmbH`,
      personnel_number: '00417',
      for_period: { from: '2026-01-01', to: '2026-03-31' },
    }
    const pdf = await printCertificate({ ...certificate, snapshot: { ...certificate.snapshot, ...more } })
    const text = squeeze(await readPdf(t, pdf, 'pdftotext', '-raw'))
    t.ok(text.startsWith(squeeze(`${more.issuer} Nachweis Brandschutz „Halle 3“ Name Ada Personalnummer 00417`)), text)
    t.ok(text.includes(squeeze('Nachgeholt für den Zeitraum 01.01.2026–31.03.2026')))
  },
)

t.test('a printed proof shows the logo, but not above a proof that names no company', { skip }, async (t) => {
  const picture = new PNG({ width: 60, height: 20 })
  picture.data.fill(255)
  const logo = PNG.sync.write(picture)
  const certificate = certificateOf('Ada', { logo })
  const named = { ...certificate, snapshot: { ...certificate.snapshot, format: 2 as const, issuer: 'Müller & Söhne' } }
  const structure = await readPdf(t, await printCertificate(named), 'pdfinfo', '-struct')
  t.equal(structure.match(/\bFigure\b/g)?.length, 2, 'the logo and the QR code')
  const [, top] =
    /yMin="([\d.]+)"[^>]*>Müller</.exec(await readPdf(t, await printCertificate(named), 'pdftotext', '-bbox')) ?? []
  t.ok(Number(top) >= 64 + 48, `the name is below the logo: ${top}`)
  const earlier = await readPdf(t, await printCertificate(certificate), 'pdfinfo', '-struct')
  t.equal(earlier.match(/\bFigure\b/g)?.length, 1)
})

t.test('a proof names the language of a part beside its title', { skip }, async (t) => {
  const [, personal] = certificateOf('Ada').snapshot.parts
  const sheet = { kind: 'sheet' as const, title: 'Merkblatt', done_on: '2026-12-05', version: 2, sha256: null }
  const deck = { kind: 'deck' as const, title: 'Zeichen', done_on: '2026-12-05', share_percent: null }
  const parts = [
    { ...sheet, lang: 'en', variant_title: 'Leaflet' },
    { ...deck, lang: 'tr', variant_title: 'İşaretler' },
    { ...deck, lang: 'en', variant_title: null },
    { ...deck, lang: 'de', variant_title: null },
    ...(personal === undefined ? [] : [personal]),
  ]
  const textIn = async (language: 'de' | 'en') => {
    const { snapshot, ...certificate } = certificateOf('Ada', { language })
    const pdf = await printCertificate({ ...certificate, snapshot: { ...snapshot, format: 3, parts } })
    return squeeze(await readPdf(t, pdf, 'pdftotext', '-raw'))
  }
  const german = [
    'Unterlage: Merkblatt',
    'Gelesen und bestätigt am 05.12.2026, auf Englisch („Leaflet“), Fassung 2',
    'Deck: Zeichen',
    'Deck gelernt am 05.12.2026, auf Türkisch („İşaretler“)',
    'Deck: Zeichen',
    'Deck gelernt am 05.12.2026, auf Englisch',
    'Deck: Zeichen',
    'Deck gelernt am 05.12.2026',
    'Gespräch: Rundgang',
  ]
  t.match(await textIn('de'), squeeze(german.join('')))
  const english = [
    'Document: Merkblatt',
    'Read and confirmed on 5 December 2026, in English (“Leaflet”), version 2',
    'Deck: Zeichen',
    'Deck learned on 5 December 2026, in Turkish (“İşaretler”)',
    'Deck: Zeichen',
    'Deck learned on 5 December 2026',
    'Deck: Zeichen',
    'Deck learned on 5 December 2026, in German',
    'Instruction: Rundgang',
  ]
  t.match(await textIn('en'), squeeze(english.join('')))
})

t.test('a proof is printed in English, with titles and notes as they are', { skip }, async (t) => {
  const certificate = certificateOf('Ada', { language: 'en' })
  const { parts } = certificate.snapshot
  const test = {
    kind: 'test' as const,
    title: 'Quiz',
    done_on: '2026-12-05',
    version: null,
    sha256: null,
    pass_percent: null,
  }
  const deck = { kind: 'deck' as const, title: 'Zeichen', done_on: '2026-12-05', share_percent: null }
  const snapshot = {
    ...certificate.snapshot,
    format: 2 as const,
    issuer: 'Müller & Söhne',
    personnel_number: '00417',
    for_period: { from: '2026-01-01', to: '2026-03-31' },
    valid_until: null,
    parts: [...parts, test, deck],
  }
  const pdf = await printCertificate({ ...certificate, snapshot })
  const expected = [
    ...['Müller & Söhne', 'Certificate', 'Brandschutz „Halle 3“', 'Name', 'Ada', 'Personnel number', '00417'],
    ...['Completed on', '5 December 2026', 'Made up for the period', '1 January 2026–31 March 2026'],
    ...['Valid until', 'no end', 'Parts', 'Document: Fluchtwege'],
    `Read and confirmed on 3 December 2026, version 4 (SHA-256 ${'ab'.repeat(8)})`,
    ...['Instruction: Rundgang', 'Instructed in person on 4 December 2026, confirmed by Zoë Żak. Halle 3'],
    ...['Test: Quiz', 'Test passed on 5 December 2026', 'Deck: Zeichen', 'Deck learned on 5 December 2026'],
    ...['To compare with this sheet:', certificate.address, groupCode(certificate.code), 'Issued on 5 December 2026'],
  ]
  t.equal(squeeze(await readPdf(t, pdf, 'pdftotext', '-raw')), squeeze(expected.join('')))
  t.match(await readPdf(t, pdf, 'pdfinfo'), /^Title: +Certificate: Brandschutz „Halle 3“, Ada$/m)
  t.ok(pdf.includes('/Lang (en-GB)'), 'tells screen readers the language')
})

t.test('without a public address, a printed proof says where to enter its code', { skip }, async (t) => {
  const pdf = await printCertificate(certificateOf('Ada', { address: null }))
  const text = squeeze(await readPdf(t, pdf, 'pdftotext', '-raw'))
  t.ok(text.includes(squeeze('Code auf der Seite /nachweis eingeben AB7K-9QF2')), text)
  t.notMatch(await readPdf(t, pdf, 'pdfinfo', '-struct'), /Figure/, 'no QR code')
})

t.test('the PDF of a proof is tagged, and its QR code contains the address', { skip }, async (t) => {
  const certificate = certificateOf('Łukasz Öztürk-Großmann')
  const folder = t.testdir({})
  const file = path.join(folder, 'proof.pdf')
  await writeFile(file, await printCertificate(certificate))
  const { stdout: facts } = await run('pdfinfo', [file])
  t.match(facts, /^Title: +Nachweis: Brandschutz „Halle 3“, Łukasz Öztürk-Großmann$/m)
  t.match(facts, /^Tagged: +yes$/m)
  const { stdout: structure } = await run('pdfinfo', ['-struct-text', file])
  for (const tag of ['H1', 'H2', 'P', 'Figure']) t.match(structure, new RegExp(`^ +${tag}\\b`, 'm'))
  const { stdout: fonts } = await run('pdffonts', [file])
  t.equal(fonts.match(/NotoSans-(?:Regular|Bold) .* yes yes yes/g)?.length, 2, 'embedded, as subsets, with their text')
  await run('pdftoppm', ['-gray', '-r', '110', '-singlefile', file, path.join(folder, 'page')])
  const { data, width, height } = await readGray(path.join(folder, 'page.pgm'))
  t.equal(jsQR.default(data, width, height)?.data, certificate.address)
  const revoked = await printCertificate(certificateOf('Ada', { revoked_at: new Date(), replaced_by: 'C'.repeat(26) }))
  t.match(await readPdf(t, revoked, 'pdftotext'), /wurde widerrufen\.\s+.*ersetzt durch CCCC-CCCC/)
})

/** Reads a binary PGM file as RGBA. */
async function readGray(file: string) {
  const bytes = await readFile(file)
  const [head, width, height] = /^P5\s(\d+)\s(\d+)\s255\s/.exec(
    bytes.subarray(0, 40).toString('latin1'),
  ) as RegExpExecArray
  const pixels = bytes.subarray(head.length)
  const data = new Uint8ClampedArray(pixels.length * 4)
  for (const [index, gray] of pixels.entries()) data.set([gray, gray, gray, 255], index * 4)
  return { data, width: Number(width), height: Number(height) }
}
