import assert from 'node:assert/strict'
import t from 'tap'
import { inlineParts, plainText } from '../../../web/src/markdown/inline.js'
import fc from '../../support/property.js'

t.test('splits code and bold from the rest', async (t) => {
  const code = (text: string) => ({ kind: 'code', text })
  const plain = (text: string) => ({ kind: 'text', text })
  const strong = (text: string) => ({ kind: 'strong', text })
  t.strictSame(inlineParts('Was macht `git stash`?'), [plain('Was macht '), code('git stash'), plain('?')])
  t.strictSame(inlineParts('**Nie** so'), [strong('Nie'), plain(' so')])
  t.strictSame(inlineParts('``a`b``'), [code('a`b')])
  t.strictSame(inlineParts('So:\n\n```bash\ngit pull\ngit push\n```\nfertig'), [
    plain('So:\n'),
    code('git pull\ngit push'),
    plain('\nfertig'),
  ])
  t.strictSame(inlineParts('2 ** 3 ** 4 `'), [plain('2 ** 3 ** 4 `')])
})

t.test('keeps the meaning of marks left open by a cut', async (t) => {
  t.strictSame(inlineParts('So:\n\n```bash\ngit pu...'), [
    { kind: 'text', text: 'So:\n' },
    { kind: 'code', text: 'git pu...' },
  ])
  t.strictSame(inlineParts('entspricht `255.25...'), [
    { kind: 'text', text: 'entspricht ' },
    { kind: 'code', text: '255.25...' },
  ])
  t.strictSame(inlineParts('Das ist `git rebase --interactive main`', 20), [
    { kind: 'text', text: 'Das ist ' },
    { kind: 'code', text: 'git rebase …' },
  ])
  t.equal(plainText('Das ist **sehr viel Text**', 16), 'Das ist sehr …')
  t.strictSame(inlineParts('das **ganze La...'), [
    { kind: 'text', text: 'das ' },
    { kind: 'strong', text: 'ganze La...' },
  ])
  t.strictSame(inlineParts('Was ist 2 ** 3 …'), [{ kind: 'text', text: 'Was ist 2 ** 3 …' }])
})

const SHA = 'a'.repeat(64)
const picture = (text: string, address?: string) => ({ kind: 'picture', text, address })

t.test('recognises stored pictures and keeps their description', async (t) => {
  const address = `api/content/media/${SHA}.webp`
  t.strictSame(inlineParts(`Was ist ![ein \\[Zweig\\]](media/${SHA}.webp "Titel")?`), [
    { kind: 'text', text: 'Was ist ' },
    picture('ein [Zweig]', address),
    { kind: 'text', text: '?' },
  ])
  t.strictSame(inlineParts(`![](media/${SHA}.webp)`), [picture('Bild', address)])
  t.equal(plainText(`Das ist ![ein Zweig](media/${SHA}.webp)`), 'Das ist ein Zweig')
  for (const target of [`media/${SHA}.svg`, `media/${SHA}.png/../../x`, 'media/x.png', 'https://example.org/x.png'])
    t.strictSame(inlineParts(`![x](${target})`), [{ kind: 'text', text: `![x](${target})` }], target)
  for (const cut of ['![ein Zweig...', `![ein Zweig](media/${SHA.slice(1)}...`, '![ein Zweig](...'])
    t.match(inlineParts(cut), [{ kind: 'picture', text: /^ein Zweig/, address: undefined }], cut)
})

t.test('loses no letter and cuts a long text', async (t) => {
  const text = fc.string({ unit: fc.constantFrom('`', '*', '\n', ' ', 'a', 'ä', '.', '😀'), maxLength: 60 })
  fc.assert(
    fc.property(text, (source) => {
      const letters = (some: string) => some.replaceAll(/[^aä😀]/gu, '')
      const read = inlineParts(source)
        .map(({ text }) => text)
        .join('')
      // The word after an opening fence names a language and is not part of the text.
      if (!source.includes('```')) assert.equal(letters(read), letters(source))
      assert.ok(read.length <= source.length)
    }),
  )
  t.equal(plainText('😀'.repeat(500), 10), `${'😀'.repeat(10)} …`)
  t.equal(plainText('Was steht in der Datei?', 14), 'Was steht in …', 'the text is cut between words')
})
