import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import t from 'tap'
import { readContent } from '../../../../src/services/content/folder/read.js'

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

t.test('reads decks and sheets in path order', async (t) => {
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
  const { content, faults, warnings } = await readContent(folder)
  t.same(faults, [])
  t.same(
    warnings.map(({ file }) => file),
    ['decks/sub/c.md'],
  )
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

t.test('lists the faults of all files by file and line, with duplicate slugs', async (t) => {
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

t.test('follows symbolic links except cycles, and reports broken ones', async (t) => {
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

t.test('a missing subfolder is empty; a missing folder is an error with its path', async (t) => {
  const sheets = await makeFolder(t, { 'cheatsheets/a.md': '# A' })
  t.match(await readContent(sheets), {
    content: { decks: { length: 0 }, sheets: [{ slug: 'a' }] },
    faults: { length: 0 },
  })
  const missing = join(sheets, 'nirgends')
  await t.rejects(readContent(missing), {
    kind: 'internal',
    message: `Der Ordner der Inhalte (CONTENT_DIR) ist nicht lesbar: ${missing} (ENOENT)`,
  })
  const file = join(sheets, 'cheatsheets/a.md')
  await t.rejects(readContent(file), { message: new RegExp(`${file} \\(ENOTDIR\\)$`) })
})

t.test('an empty folder is a fault, and so is a subfolder that is a file', async (t) => {
  const nothing = [{ file: '.', line: 1, message: 'Der Ordner enthält weder decks/*.md noch cheatsheets/**/*.md' }]
  const empty = await makeFolder(t, {})
  t.same((await readContent(empty)).faults, nothing)
  await mkdir(join(empty, 'decks'))
  await mkdir(join(empty, 'cheatsheets/git'), { recursive: true })
  t.same((await readContent(empty)).faults, nothing, 'empty folders')
  t.same((await readContent(await makeFolder(t, { 'git.md': deck('git') }))).faults, nothing, 'one folder too deep')

  for (const kind of ['decks', 'cheatsheets']) {
    const other = kind === 'decks' ? 'cheatsheets' : 'decks'
    const file = await makeFolder(t, { [kind]: 'a file', [`${other}/a.md`]: `${deck('a')}# A` })
    const isFile = (await readContent(file)).faults.filter((fault) => fault.file === kind)
    t.same(isFile, [{ file: kind, line: 1, message: `„${kind}“ ist kein Ordner` }])
    const broken = await makeFolder(t, {})
    await symlink('nirgends', join(broken, kind))
    t.same((await readContent(broken)).faults, [{ file: kind, line: 1, message: 'Nicht lesbar (ENOENT)' }])
  }
})

t.test('a file that is too large is a fault and is not read', async (t) => {
  const folder = await makeFolder(t, { 'cheatsheets/a.md': '# A' })
  await mkdir(join(folder, 'decks'))
  for (const [file, megabytes] of [
    ['decks/gross.md', 64],
    ['cheatsheets/gross.md', 5],
    ['cheatsheets/riesig.md', 600],
  ] as const) {
    await writeFile(join(folder, file), '')
    await truncate(join(folder, file), megabytes * 2 ** 20 + 1)
  }
  const { content, faults } = await readContent(folder)
  t.same(faults, [
    { file: 'cheatsheets/gross.md', line: 1, message: 'Die Datei ist größer als 5 MB' },
    { file: 'cheatsheets/riesig.md', line: 1, message: 'Die Datei ist größer als 5 MB' },
    { file: 'decks/gross.md', line: 1, message: 'Die Datei ist größer als 64 MB' },
  ])
  t.match(content.sheets, [{ slug: 'a' }])
  await truncate(join(folder, 'decks/gross.md'), 0)
  await writeFile(join(folder, 'cheatsheets/riesig.md'), `# Groß\n${'x'.repeat(5 * 2 ** 20 - 8)}`)
  await writeFile(join(folder, 'cheatsheets/gross.md'), '# Klein')
  t.same(
    (await readContent(folder)).faults.map(({ file }) => file),
    ['decks/gross.md'],
    'as large as allowed is fine; the deck is empty now',
  )
})

t.test('warns of content in unexpected places', async (t) => {
  const folder = await makeFolder(t, {
    'README.md': '',
    'git.md': '',
    'Decks/a.md': '',
    'bilder/liesmich.md': '',
    'decks/a.md': deck('a'),
    'decks/b.MD': '',
    'decks/c.markdown': '',
    'decks/d.md.txt': '',
    'decks/e.txt': '',
    'decks/.f.markdown': '',
    'decks/sub/x.md': '',
    'decks/sub/tief/y.markdown': '',
    'decks/sub/bild.png': '',
    'decks/ordner.md/z.md': '',
    'cheatsheets/a.Md': '',
    'cheatsheets/git/b.mdown': '',
    'cheatsheets/git/bild.png': '',
  })
  const { content, faults, warnings } = await readContent(folder)
  t.same([content.decks.length, content.sheets.length, faults], [1, 0, []])
  const name = 'Nicht eingelesen: der Dateiname muss auf .md enden'
  const place = 'Nicht eingelesen: die Dateien liegen unmittelbar in decks/'
  const stray = 'Nicht eingelesen: die Inhalte liegen in decks/, cheatsheets/ und tests/'
  t.same(warnings, [
    { file: 'Decks', line: 1, message: stray },
    { file: 'cheatsheets/a.Md', line: 1, message: name },
    { file: 'cheatsheets/git/b.mdown', line: 1, message: name },
    { file: 'decks/b.MD', line: 1, message: name },
    { file: 'decks/c.markdown', line: 1, message: name },
    { file: 'decks/d.md.txt', line: 1, message: name },
    { file: 'decks/ordner.md/z.md', line: 1, message: place },
    { file: 'decks/sub/tief/y.markdown', line: 1, message: place },
    { file: 'decks/sub/x.md', line: 1, message: place },
    { file: 'git.md', line: 1, message: stray },
  ])
})
