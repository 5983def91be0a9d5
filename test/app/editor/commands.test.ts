import t from 'tap'
import {
  bold,
  type Command,
  code,
  codeBlock,
  continueList,
  type Edit,
  insertBlock,
  insertText,
  italic,
  link,
  list,
  pasteAddress,
  picture,
  type TextSelection,
  table,
} from '../../../web/src/editor/commands.js'
import fc, { runs } from '../../support/property.js'

/** Parses a text with a marked selection, such as `a ⟦b⟧ c`, or with a `|` for the caret. */
function read(marked: string): TextSelection {
  if (marked.includes('|')) {
    const start = marked.indexOf('|')
    return { value: marked.replace('|', ''), start, end: start }
  }
  const start = marked.indexOf('⟦')
  const end = marked.indexOf('⟧') - 1
  return { value: marked.replace('⟦', '').replace('⟧', ''), start, end }
}

function applied({ value }: TextSelection, { from, to, insert, start, end }: Edit): TextSelection {
  return { value: value.slice(0, from) + insert + value.slice(to), start, end }
}

function write({ value, start, end }: TextSelection): string {
  if (start === end) return `${value.slice(0, start)}|${value.slice(start)}`
  return `${value.slice(0, start)}⟦${value.slice(start, end)}⟧${value.slice(end)}`
}

const run = (command: Command, marked: string) => write(applied(read(marked), command(read(marked))))

t.test('adds and removes bold and italic marks', async (t) => {
  t.equal(run(bold, 'ein ⟦Wort⟧ hier'), 'ein **⟦Wort⟧** hier')
  t.equal(run(bold, 'ein **⟦Wort⟧** hier'), 'ein ⟦Wort⟧ hier')
  t.equal(run(bold, 'ein ⟦**Wort**⟧ hier'), 'ein ⟦Wort⟧ hier')
  t.equal(run(italic, 'ein **⟦Wort⟧** hier'), 'ein ***⟦Wort⟧*** hier', 'italic inside bold')
  t.equal(run(italic, '***⟦Wort⟧***'), '**⟦Wort⟧**')
  t.equal(run(bold, '***⟦Wort⟧***'), '*⟦Wort⟧*')
  t.equal(run(bold, 'ein⟦ Wort ⟧hier'), 'ein **⟦Wort⟧** hier', 'white space stays outside the marks')
  t.equal(run(bold, 'leer |'), 'leer **|**')
  t.equal(run(bold, '⟦a\n\nb⟧'), '⟦**a**\n\n**b**⟧', 'each paragraph separately')
})

t.test('formats a selection as code or as a code block', async (t) => {
  t.equal(run(code, 'der ⟦Befehl⟧'), 'der `⟦Befehl⟧`')
  t.equal(run(code, 'der `⟦Befehl⟧`'), 'der ⟦Befehl⟧')
  t.equal(run(code, '⟦a`b⟧'), '``⟦a`b⟧``')
  t.equal(run(code, '⟦`b⟧'), '`` ⟦`b⟧ ``')
  t.equal(run(code, 'x ⟦eins\nzwei⟧ y'), '```\n⟦x eins\nzwei y⟧\n```', 'several lines become a code block')
  t.equal(run(codeBlock, 'davor\n⟦ls\npwd⟧\ndanach'), 'davor\n\n```\n⟦ls\npwd⟧\n```\n\ndanach')
  t.equal(run(codeBlock, '⟦```\n⟧'), '````\n⟦```⟧\n````\n')
  t.equal(run(codeBlock, '|'), '```\n|\n```')
})

t.test('makes a link of the selection, also when an address is pasted', async (t) => {
  t.equal(run(link, 'siehe ⟦Seite⟧'), 'siehe [Seite](⟦https://⟧)')
  t.equal(run(link, '⟦https://example.com⟧'), '[|](https://example.com)')
  t.equal(run(link, '|'), '[|](https://)')
  const pasted = (marked: string, address: string) => {
    const edit = pasteAddress(read(marked), address)
    return edit && write(applied(read(marked), edit))
  }
  t.equal(pasted('die ⟦Seite⟧ da', 'https://example.com'), 'die [Seite](https://example.com)| da')
  t.equal(pasted('die | da', 'https://example.com'), undefined)
  t.equal(pasted('die ⟦Seite⟧ da', 'kein Link'), undefined)
})

t.test('adds and removes list marks, and continues a list on a new line', async (t) => {
  t.equal(run(list, '⟦a\nb⟧'), '⟦- a\n- b⟧')
  t.equal(run(list, '⟦- a\n- b⟧'), '⟦a\nb⟧')
  t.equal(run(list, '|'), '- |')
  t.equal(run(list, 'x\na|\ny'), 'x\n- a|\ny')
  t.equal(run(list, '⟦a\n⟧b'), '⟦- a⟧\nb', 'a line without a selected character stays')
  const next = (marked: string) => {
    const edit = continueList(read(marked))
    return edit && write(applied(read(marked), edit))
  }
  t.equal(next('- a|'), '- a\n- |')
  t.equal(next('  * a|b'), '  * a\n  * |b')
  t.equal(next('9. a|'), '9. a\n10. |')
  t.equal(next('- [x] a|'), '- [x] a\n- [ ] |')
  t.equal(next('- a\n- |'), '- a\n|', 'an empty item ends the list')
  t.equal(next('a|'), undefined)
  t.equal(next('⟦- a⟧'), undefined)
})

t.test('inserts text in place, but not into the last row of a table', async (t) => {
  const after = (value: string, start = value.length) => {
    const edited = applied({ value, start, end: start }, insertText({ value, start, end: start }, 'X'))
    t.strictSame([edited.start, edited.end], [edited.value.lastIndexOf('X') + 1, edited.value.lastIndexOf('X') + 1])
    return edited.value
  }
  const rows = '| a | b |\n| --- | --- |\n| 1 | 2 |'
  t.equal(after(rows), `${rows}\n\nX`)
  t.equal(after(`${rows}\n`), `${rows}\n\nX`)
  t.equal(after(`${rows}\n\n`), `${rows}\n\nX`)
  t.equal(after(`${rows}\n\nText`, rows.length), `${rows}\n\nX\n\nText`)
  t.equal(after(rows, rows.length - 2), `${rows.slice(0, -2)}X${rows.slice(-2)}`, 'within a cell')
  t.equal(after('Siehe '), 'Siehe X')
})

t.test('inserts tables, blocks and pictures', async (t) => {
  t.equal(run(table, 'Text|'), 'Text\n\n| ⟦Spalte 1⟧ | Spalte 2 |\n| --- | --- |\n|  |  |')
  t.equal(
    write(applied(read('a|b'), insertBlock(read('a|b'), '---'))),
    'a\n\n---|\n\nb',
    'a block stands between blank lines',
  )
  t.equal(
    run((text) => picture(text, 'media/ab.png'), '⟦Netz [1]⟧'),
    '![⟦Netz  1⟧](media/ab.png)',
  )
  t.equal(
    run((text) => picture(text, 'media/ab.png'), '|'),
    '![⟦Bild⟧](media/ab.png)',
  )
})

t.test('every command leaves the text outside of its range and a valid selection', async () => {
  const commands: Command[] = [bold, italic, code, codeBlock, link, list, table, (text) => picture(text, 'media/a.png')]
  const text = fc.string({ unit: fc.constantFrom('a', ' ', '\n', '*', '`', '-', '[', ']', 'ß', '😀'), maxLength: 30 })
  fc.assert(
    fc.property(text, fc.nat(30), fc.nat(30), fc.constantFrom(...commands), (value, one, other, command) => {
      const [start = 0, end = 0] = [one, other].map((at) => Math.min(at, value.length)).sort((a, b) => a - b)
      const edit = command({ value, start, end })
      const after = applied({ value, start, end }, edit)
      return (
        edit.from <= edit.to &&
        edit.from >= 0 &&
        edit.to <= value.length &&
        after.value.startsWith(value.slice(0, edit.from)) &&
        after.value.endsWith(value.slice(edit.to)) &&
        edit.start <= edit.end &&
        edit.end <= after.value.length
      )
    }),
    { numRuns: runs(300) },
  )
})
