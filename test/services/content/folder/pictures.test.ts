import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { sql } from 'kysely'
import t from 'tap'
import { readPictureOf } from '../../../../src/services/content/folder/pictures.js'
import { changeFiles, deckFile, writeContentFolder } from '../../../support/content.js'
import { headOf } from '../../../support/picture-heads.js'
import { gifOf, largePng, targetOf } from '../../../support/pictures.js'
import { startService } from '../../../support/service.js'

const folder = await writeContentFolder(t, {})
const service = await startService(t, { config: { contentDir: folder, mediaMaxBytes: 5 * 2 ** 20 } })
const { db } = service
const admin = await service.admin()

async function writePicture(name: string, bytes: Buffer): Promise<void> {
  await mkdir(path.dirname(path.join(folder, name)), { recursive: true })
  await writeFile(path.join(folder, name), bytes)
}

const runImport = () => admin.post('/api/admin/import')
const answers = async () =>
  (await db.selectFrom('cards').select('answer').orderBy('id').execute()).map((row) => row.answer)
const kept = async () => {
  const { rows } = await sql<{ name: string }>`
    select 'media/' || encode(sha256, 'hex') || '.' || extension as name from media order by 1`.execute(db)
  return rows.map(({ name }) => name)
}

const [tree, branch] = [gifOf('tree'), gifOf('branch')]

t.test('stores pictures of decks and sheets once and replaces only their targets', async (t) => {
  await writePicture('decks/bilder/Ein Baum.gif', tree)
  await writePicture('bilder/zweig.gif', branch)
  await changeFiles(folder, {
    'decks/git.md': deckFile('Git', [
      {
        id: 'a',
        question: 'Was zeigt ![der  Baum](<bilder/Ein Baum.gif> "Titel")?',
        answer: '> ![x][y]\n\n[y]: z.gif',
      },
      { id: 'b', answer: '`![x](kein.gif)` ![Ast](../bilder/zweig.gif)\n![fern](https://example.org/a.png)' },
    ]),
    'cheatsheets/git/zweige.md': '# Zweige\n\n- ![Ast](../../bilder/zweig.gif)\n',
  })
  t.match(await runImport(), { status: 200, body: { stats: { cards: { created: 2 }, cheatsheets: { created: 1 } } } })
  t.strictSame(await kept(), [targetOf(tree), targetOf(branch)].sort())
  t.strictSame(await db.selectFrom('cards').select(['question', 'answer']).orderBy('id').execute(), [
    { question: `Was zeigt ![der  Baum](${targetOf(tree)} "Titel")?`, answer: '> ![x][y]\n\n[y]: z.gif' },
    {
      question: 'Frage b?',
      answer: `\`![x](kein.gif)\` ![Ast](${targetOf(branch)})\n![fern](https://example.org/a.png)`,
    },
  ])
  t.match(await db.selectFrom('cheatsheets').select('content_md').executeTakeFirst(), {
    content_md: `# Zweige\n\n- ![Ast](${targetOf(branch)})\n`,
  })
  t.match((await runImport()).body.stats, { cards: { unchanged: 2 }, cheatsheets: { unchanged: 1 } })
})

t.test('a changed picture changes the text; the previous version keeps its picture', async (t) => {
  await writePicture('decks/bilder/Ein Baum.gif', gifOf('another'))
  t.match((await runImport()).body.stats, { cards: { updated: 1, unchanged: 1 } })
  const all = [targetOf(gifOf('another')), targetOf(branch), targetOf(tree)].sort()
  t.strictSame(await kept(), all)

  await changeFiles(folder, { 'cheatsheets/git/zweige.md': '# Zweige\n' })
  t.match((await runImport()).body.stats, { cheatsheets: { updated: 1 } })
  t.strictSame(await kept(), all)
  await db.deleteFrom('card_versions').execute()
  await db.deleteFrom('picture_uses').where('is_current', '=', false).execute()
  await writePicture('decks/bilder/Ein Baum.gif', gifOf('a third'))
  t.match((await runImport()).body.stats, { cards: { updated: 1 } })
  t.strictSame(await kept(), [targetOf(gifOf('another')), targetOf(gifOf('a third')), targetOf(branch)].sort())
})

t.test('a missing, large, outside or invalid picture is a fault with its line', async (t) => {
  const before = [await answers(), await kept()]
  await writePicture('bilder/groß.png', largePng(2 ** 21 + 1))
  await writePicture('bilder/text.png', Buffer.from('<svg/>'))
  await writePicture('bilder/neu.gif', gifOf('new'))
  await changeFiles(folder, {
    'decks/faul.md': deckFile('Faul', [
      { id: 'a', answer: 'Erst\n\nein ![Bild](fehlt.png), nochmal ![Bild](fehlt.png)' },
      { id: 'b', question: 'Was ist ![das](../../oben.png)?', answer: '![groß](../bilder/gro%C3%9F.png)' },
      { id: 'c', answer: '![text](../bilder/text.png) ![neu](../bilder/neu.gif) ![Ordner](../bilder)' },
    ]),
    'cheatsheets/faul.md': '# Faul\n\n![abs](/etc/passwd)\n',
  })
  const expected = [
    { file: 'cheatsheets/faul.md', line: 3, message: 'Das Bild „/etc/passwd“ liegt nicht im Ordner der Inhalte' },
    { file: 'decks/faul.md', line: 10, message: 'Das Bild „fehlt.png“ gibt es nicht' },
    { file: 'decks/faul.md', line: 12, message: 'Das Bild „../../oben.png“ liegt nicht im Ordner der Inhalte' },
    { file: 'decks/faul.md', line: 16, message: 'Das Bild „../bilder/gro%C3%9F.png“ ist größer als 2 MB' },
    {
      file: 'decks/faul.md',
      line: 22,
      message: 'Das Bild „../bilder/text.png“ ist weder PNG noch JPEG, GIF, WebP oder AVIF',
    },
    { file: 'decks/faul.md', line: 22, message: 'Das Bild „../bilder“ ist nicht lesbar (EISDIR)' },
  ]
  for (const url of ['/api/admin/import', '/api/content/check']) {
    t.match(await admin.post(url), { status: 400, body: { errors: expected } })
  }
  t.strictSame([await answers(), await kept()], before)
  await changeFiles(folder, { 'decks/faul.md': null, 'cheatsheets/faul.md': null })
})

t.test('limits the total size of pictures', async (t) => {
  const keptBefore = await kept()
  const before = [await answers(), keptBefore]
  const pictures = [1, 2, 3].map((index) => `groß-${index}.png`)
  for (const name of pictures) await writePicture(`decks/${name}`, largePng(2 ** 21))
  const answer = pictures.map((name) => `![](${name})`).join('\n')
  await changeFiles(folder, { 'decks/viel.md': deckFile('Viel', [{ id: 'a', answer }]) })
  const message = 'Die Bilder brauchten zusammen mehr als 5 MB (MEDIA_MAX_MB)'
  for (const url of ['/api/admin/import', '/api/content/check']) {
    t.match(await admin.post(url), { status: 413, body: { message } })
  }
  t.strictSame([await answers(), await kept()], before)
  await changeFiles(folder, {
    'decks/viel.md': deckFile('Viel', [{ id: 'a', answer: answer.split('\n').slice(1).join() }]),
  })
  t.match(await runImport(), { status: 200, body: { stats: { cards: { created: 1 } } } })
  t.equal((await kept()).length, keptBefore.length + 2)
})

t.test('a picture of too many pixels in the folder is a fault', async (t) => {
  await writePicture('bilder/riesig.png', headOf('png', 100_000, 100_000))
  t.equal(
    await readPictureOf(folder)('bilder/riesig.png'),
    'hat 100.000 × 100.000 Pixel; erlaubt sind 12.000 je Seite und 40 Millionen insgesamt',
  )
})
