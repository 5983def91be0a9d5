import t from 'tap'
import { parseCells, toCards, toTable } from '../../../web/src/editor/cells.js'
import { parsePaste } from '../../../web/src/editor/clipboard.js'
import fc from '../../support/property.js'

t.test('parses cells as Excel copies them', async (t) => {
  t.strictSame(parseCells('a\tb\r\nc\td\r\n'), [
    ['a', 'b'],
    ['c', 'd'],
  ])
  t.strictSame(parseCells('a\t"b\nc ""d"""\r\n'), [['a', 'b\nc "d"']])
  t.strictSame(parseCells('"a\tb"\tc'), [['a\tb', 'c']])
  t.strictSame(parseCells('sagt "ja"\t"kein Ende'), [['sagt "ja"', '"kein Ende']], 'a quote inside a cell is text')
  t.strictSame(parseCells('a\t\n\t\n'), [['a', '']], 'empty rows are left out')
  t.equal(parseCells('nur eine Zeile\nund noch eine'), undefined)
})

t.test('property: parses any quoted cells', async () => {
  const cell = fc
    .string({ unit: fc.constantFrom('a', '"', '\t', '\n', ' ', 'ü'), maxLength: 6 })
    .map((text) => `x${text}`)
  const quote = (text: string) => (/["\t\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
  const rows = fc
    .integer({ min: 2, max: 4 })
    .chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 5 }))
  fc.assert(
    fc.property(rows, (cells) => {
      const text = cells.map((row) => row.map(quote).join('\t')).join('\r\n')
      return JSON.stringify(parseCells(text)) === JSON.stringify(cells)
    }),
  )
})

t.test('makes a Markdown table', async (t) => {
  t.equal(toTable([['a', 'b|c'], ['1\n2']]), '| a | b\\|c |\n| --- | --- |\n| 1 2 |  |')
})

t.test('makes one card of each row', async (t) => {
  t.strictSame(
    toCards([
      ['Was ist ein Commit?', 'Ein Stand'],
      ['nur Frage', ''],
    ]),
    {
      cards: [{ question: 'Was ist ein Commit?', answer: 'Ein Stand' }],
      skipped: 1,
    },
  )
  t.strictSame(
    toCards([
      ['Frage', 'Antwort', 'Level'],
      ['a', 'b', 'profi'],
      ['c', 'd', ''],
    ]).cards,
    [
      { question: 'a', answer: 'b', level: 'profi' },
      { question: 'c', answer: 'd' },
    ],
  )
})

t.test('prefers cells to markup, and markup to a picture', async (t) => {
  const image = new File([], 'image.png', { type: 'image/png' })
  const kindOf = (offer: Partial<Parameters<typeof parsePaste>[0]>) =>
    parsePaste({ text: '', html: '', files: [], ...offer }).kind
  t.equal(kindOf({ text: 'a\tb', html: '<html><table><tr>', files: [image] }), 'cells', 'Excel')
  t.equal(kindOf({ text: 'a\tb\nc\td' }), 'cells', 'plain cells')
  t.equal(kindOf({ text: 'if x:\n\tprint(1)\n\t\tprint(2)' }), 'text', 'indented code')
  t.equal(kindOf({ text: 'a\tb', html: '<div><span style="color:red">a</span></div>' }), 'text', 'code editor')
  t.equal(kindOf({ text: 'fett', html: '<p><b>fett</b></p>', files: [image] }), 'html', 'Word')
  const paragraphs = '<p class=MsoNormal><b>a</b></p><p class=MsoNormal>c</p>'
  t.equal(kindOf({ text: 'a\tb\r\nc\td', html: paragraphs }), 'cells', 'paragraphs of Word with tabs')
  t.equal(kindOf({ text: 'a\tb\r\nc', html: paragraphs }), 'html', 'lines of which only some have a tab')
  t.equal(kindOf({ text: '·\ta\r\n·\tc', html: paragraphs }), 'html', 'bullets of Word')
  t.equal(kindOf({ text: '1.\ta\r\n10.\tc', html: paragraphs }), 'html', 'numbers of Word')
  const item = '<p class=MsoListBullet><span style="mso-list:Ignore">·<span>&nbsp;</span></span>a</p>'
  t.equal(kindOf({ text: '·\ta', html: item }), 'html', 'one item without other markup')
  t.equal(kindOf({ text: 'x', html: '<b style="font-weight:normal;"><span>x</span></b>' }), 'text', 'Google Docs')
  t.equal(kindOf({ text: 'x', html: "<meta charset='utf-8'><span>x</span>" }), 'text', 'plain text of a browser')
  t.equal(kindOf({ files: [image] }), 'pictures', 'screenshot')
  t.equal(kindOf({ text: 'x', files: [image] }), 'text')
  t.equal(kindOf({ files: [new File([], 'a.pdf', { type: 'application/pdf' })] }), 'text')
})
