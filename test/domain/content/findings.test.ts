import t from 'tap'
import { countFindings, GroupedFindings, withoutKind } from '../../../src/domain/content/findings.js'

t.test('lists ten findings of a kind and counts the others', async (t) => {
  const grouped = new GroupedFindings()
  for (let line = 1; line <= 25; line++) {
    grouped.add({ file: 'a.csv', line, message: `Das Bild „${line}.png“ fehlt`, kind: 'picture' })
    if (line <= 11) grouped.add({ file: 'a.csv', line, message: 'Die Antwort ist leer' })
  }
  const list = grouped.list()
  t.equal(grouped.total, 36)
  t.equal(list.length, 22)
  t.equal(countFindings(list), 36)
  t.strictSame(list.slice(-2).map(withoutKind), [
    { file: 'a.csv', line: 11, message: '… und 15 weitere dieser Art: Das Bild „1.png“ fehlt', more: 15 },
    { file: 'a.csv', line: 11, message: '… und eine weitere dieser Art: Die Antwort ist leer', more: 1 },
  ])
  t.strictSame(list.slice(0, 1).map(withoutKind), [{ file: 'a.csv', line: 1, message: 'Das Bild „1.png“ fehlt' }])
})

t.test('adds the lists of several files', async (t) => {
  const all = new GroupedFindings()
  for (const file of ['b.csv', 'a.csv']) {
    const grouped = new GroupedFindings()
    for (let line = 1; line <= 1_500; line++) grouped.add({ file, line, message: 'Die Antwort ist leer' })
    for (const finding of grouped.list()) all.add(finding)
  }
  t.equal(all.total, 3_000)
  t.equal(countFindings(all.list()), 3_000)
  t.match(all.list().at(-1), {
    file: 'b.csv',
    line: 11,
    message: /^… und 2\.990 weitere dieser Art: Die Antwort ist leer$/,
  })
})

t.test('only counts findings of further kinds after the first thousand', async (t) => {
  const grouped = new GroupedFindings()
  for (let at = 0; at < 1_200; at++) grouped.add({ file: '', line: 0, message: `Fehler ${at}` })
  t.strictSame([grouped.total, grouped.list().length], [1_200, 1_000])
})
