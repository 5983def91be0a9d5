import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import t from 'tap'
import { readContent } from '../../../src/services/content/read-content.js'

async function makeFolder(t: Tap, files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'content-'))
  t.teardown(() => rm(folder, { recursive: true }))
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), text)
  }
  return folder
}

type Tap = Pick<typeof t, 'teardown'>

const deck = (slug: string) => `---\nslug: ${slug}\nname: N\n---\n`

t.test('reads decks and sheets in the order of their paths', async (t) => {
  const folder = await makeFolder(t, {
    'decks/b.md': deck('x'),
    'decks/a.md': deck('y'),
    'decks/sub/c.md': 'not read',
    'decks/notes.txt': 'not read',
    'decks/.hidden.md': 'not read',
    'readme.md': 'not read',
    'cheatsheets/z.md': '# Z',
    'cheatsheets/git/tief/b.md': '# B',
    'cheatsheets/ordner.md/c.md': '# C',
    'cheatsheets/.git/d.md': 'not read',
  })
  await mkdir(join(folder, 'decks/ordner.md'))
  const { content, faults } = await readContent(folder)
  t.same(faults, [])
  t.same(
    content.decks.map(({ slug }) => slug),
    ['y', 'x'],
  )
  t.same(
    content.sheets.map(({ slug, category }) => [slug, category]),
    [
      ['b', 'git/tief'],
      ['c', 'ordner.md'],
      ['z', 'Allgemein'],
    ],
  )
})

t.test('lists the faults of all files by file and line, double slugs too', async (t) => {
  const folder = await makeFolder(t, {
    'decks/a.md': deck('x'),
    'decks/b.md': `${deck('x')}Text\n`,
    'decks/c.md': 'Text',
    'cheatsheets/a/s.md': '# S',
    'cheatsheets/b/s.md': '# S',
    'cheatsheets/x.md': '# the same slug as a deck',
  })
  const { faults } = await readContent(folder)
  t.same(
    faults.map(({ file, line, message }) => `${file}:${line}: ${message}`),
    [
      'cheatsheets/b/s.md:1: Der Slug „s“ ist schon in cheatsheets/a/s.md vergeben',
      'decks/b.md:2: Der Slug „x“ ist schon in decks/a.md vergeben',
      'decks/b.md:5: Text außerhalb einer Karte: jede Karte beginnt mit einer Überschrift ##',
      'decks/c.md:1: Das Front Matter fehlt',
      'decks/c.md:1: Text außerhalb einer Karte: jede Karte beginnt mit einer Überschrift ##',
    ],
  )
})

t.test('follows links, but not in circles, and reports those that lead nowhere', async (t) => {
  const folder = await makeFolder(t, { '.data/a.md': deck('a'), '.data/git/b.md': '# B', 'decks/.keep': '' })
  await mkdir(join(folder, 'cheatsheets'))
  await symlink('../.data/a.md', join(folder, 'decks/a.md'))
  await symlink('../nirgends.md', join(folder, 'decks/b.md'))
  await symlink('../.data/git', join(folder, 'cheatsheets/git'))
  await symlink('.', join(folder, 'cheatsheets/kreis'))
  const { content, faults } = await readContent(folder)
  t.same(
    content.decks.map(({ slug }) => slug),
    ['a'],
  )
  t.same(
    content.sheets.map(({ slug }) => slug),
    ['b'],
  )
  t.same(faults, [{ file: 'decks/b.md', line: 1, message: 'Nicht lesbar (ENOENT)' }])
})

t.test('a missing kind is empty, a missing folder an error', async (t) => {
  const folder = await makeFolder(t, {})
  t.same(await readContent(folder), { content: { decks: [], sheets: [] }, faults: [] })
  await t.rejects(readContent(join(folder, 'nirgends')), { code: 'ENOENT' })
})
