import { micromark } from 'micromark'
import { gfmTable, gfmTableHtml } from 'micromark-extension-gfm-table'
import t from 'tap'
import { findPictureType, mediaTarget, parseMediaTarget, resolvePicture } from '../../../src/domain/pictures/files.js'
import { findPictures, renamePictures } from '../../../src/domain/pictures/markdown.js'
import fc, { runs } from '../../support/property.js'

const targetsOf = (text: string) => findPictures(text).map(({ target }) => target)
const ftyp = (...brands: string[]) =>
  Buffer.concat([
    Buffer.from([0, 0, 0, 8 + 4 * brands.length]),
    Buffer.from(`ftyp${brands.join('')}`),
    Buffer.alloc(40),
  ])

t.test('recognises pictures by their first bytes', async (t) => {
  t.equal(findPictureType(Buffer.from('\x89PNG\r\n\x1a\nIHDR', 'latin1')), 'png')
  t.equal(findPictureType(Buffer.from('\xff\xd8\xff\xe0', 'latin1')), 'jpg')
  t.equal(findPictureType(Buffer.from('GIF89a')), 'gif')
  t.equal(findPictureType(Buffer.from('GIF87a')), 'gif')
  t.equal(findPictureType(Buffer.from('RIFF\x10\0\0\0WEBPVP8 ')), 'webp')
  t.equal(findPictureType(ftyp('avif', '\0\0\0\0', 'mif1')), 'avif')
  t.equal(findPictureType(ftyp('mif1', '\0\0\0\0', 'miaf', 'avif')), 'avif')
  for (const other of [
    Buffer.alloc(0),
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg">'),
    Buffer.from('GIF88a'),
    Buffer.from('RIFF\x10\0\0\0WAVE'),
    ftyp('heic', '\0\0\0\0', 'mif1'),
    // The minor version in the `ftyp` box is not a brand, and only the first box counts.
    ftyp('heic', 'avif', 'mif1'),
    Buffer.concat([ftyp('heic', '\0\0\0\0').subarray(0, 16), Buffer.from('avifavif')]),
  ]) {
    t.equal(findPictureType(other), undefined)
  }
})

t.test('resolves a target relative to its file, inside of the folder', async (t) => {
  t.equal(resolvePicture('decks/git.md', 'bilder/x.png'), 'decks/bilder/x.png')
  t.equal(resolvePicture('cheatsheets/a/b.md', '../x.png'), 'cheatsheets/x.png')
  t.equal(resolvePicture('decks/git.md', '../bilder/zwei%20W%C3%B6rter.png?raw=1#oben'), 'bilder/zwei Wörter.png')
  t.equal(resolvePicture('decks/git.md', '100%.png'), 'decks/100%.png')
  t.equal(resolvePicture('decks/git.md', 'u\u0308.png'), 'decks/ü.png')
  for (const outside of ['../../x.png', '/etc/x.png', '..', '%2e%2e/%2e%2e/x.png', '..\\..\\x', 'a\0.png', 'bilder/']) {
    t.equal(resolvePicture('decks/git.md', outside), null, outside)
  }
  for (const elsewhere of ['https://example.org/x.png', 'data:image/png;base64,AA', '//example.org/x', '', '#a']) {
    t.equal(resolvePicture('decks/git.md', elsewhere), undefined, elsewhere)
  }
})

t.test('the target of a stored picture', async (t) => {
  const picture = { sha: 'ab'.repeat(32), extension: 'webp' } as const
  t.equal(mediaTarget(picture), `media/${'ab'.repeat(32)}.webp`)
  t.same(parseMediaTarget(mediaTarget(picture)), picture)
  for (const other of ['media/x.png', `media/${'AB'.repeat(32)}.png`, `media/${'ab'.repeat(32)}.svg`, 'bilder/x.png']) {
    t.equal(parseMediaTarget(other), undefined, other)
  }
})

t.test('finds pictures where Markdown has them', async (t) => {
  t.same(targetsOf('![a](x.png) und ![b](<y z.png> "Titel") [![c](c.png)](https://a)'), ['x.png', 'y z.png', 'c.png'])
  t.same(targetsOf('> - # ![a](x.png) ##\n>   ![b](\n>   y.png)'), ['x.png', 'y.png'])
  t.same(targetsOf('![a\\]](x\\(1.png) **![b](b(1).png)**'), ['x(1.png', 'b(1).png'])
  t.same(targetsOf('| a | b |\n|---|---|\n| ` | ![a\\|b](x\\|y.png) ![c](z.png) | `'), ['x|y.png', 'z.png'])
  t.same(targetsOf('![![innen](a.png)](b.png)'), ['b.png'])
  for (const none of [
    '`![a](x.png)`',
    '```\n![a](x.png)\n```',
    '    ![a](x.png)',
    '<p>\n![a](x.png)\n</p>',
    '<b title="![a](x.png)">',
    '\\![a](x.png)'.replace('![', '!\\['),
    '![a](x y.png)',
    '![a]()',
    '![a][b]\n\n[b]: x.png',
    '<!-- ![a](x.png) -->',
  ]) {
    t.same(targetsOf(none), [], none)
  }
  t.same(findPictures('a\r\n> ![b](x.png)'), [{ target: 'x.png', from: 5, start: 10, end: 15, line: 1 }])
})

t.test('replaces targets only', async (t) => {
  const rename = (text: string) =>
    renamePictures(text, ({ target }) => (target === 'x.png' ? 'media/1.png' : undefined))
  t.equal(
    rename('![a](<x.png> "x.png") `![a](x.png)` ![b](y.png)'),
    '![a](media/1.png "x.png") `![a](x.png)` ![b](y.png)',
  )
  t.equal(rename('>  *\t![x.png](x.png)  \n> x.png'), '>  *\t![x.png](media/1.png)  \n> x.png')
  t.equal(rename('a\r\n![a](\r\n  x.png )'), 'a\r\n![a](\r\n  media/1.png )')
})

const piece = fc.constantFrom(
  ...[
    '![',
    '](',
    ')',
    ']',
    '[',
    'a',
    'x.png',
    '<',
    '>',
    '"',
    '\\',
    '|',
    '`',
    '``',
    '\n',
    '\n\n',
    '> ',
    '- ',
    '1. ',
    '# ',
  ],
  ...[
    ' ',
    '    ',
    '\t',
    '![a](b.png)',
    '![a|b](c.png)',
    '|---|---|\n',
    '```\n',
    '**',
    '<b>',
    '&amp;',
    'ä',
    '😀',
    '\r\n',
    '!',
  ],
)
const anyText = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''))

t.test('every found place contains a target, and the app shows the replacements', async (t) => {
  fc.assert(
    fc.property(anyText, (text) => {
      let rest = ''
      let end = 0
      for (const picture of findPictures(text)) {
        if (picture.start < end || picture.end <= picture.start) return false
        if (text.slice(0, picture.start).split(/\r\n?|\n/).length - 1 !== picture.line) return false
        rest += text.slice(end, picture.start)
        end = picture.end
      }
      let count = 0
      const renamed = renamePictures(text, () => `neu-${count++}`)
      const html = micromark(renamed, { extensions: [gfmTable()], htmlExtensions: [gfmTableHtml()] })
      const isShown = Array.from({ length: count }, (_, index) => html.includes(`<img src="neu-${index}"`))
      return renamed.replaceAll(/neu-\d+/g, '') === rest + text.slice(end) && !isShown.includes(false)
    }),
    { numRuns: runs(300) },
  )
  t.pass('for all texts')
})

t.test('finds thousands of pictures', async (t) => {
  const text = `${'![a](x.png) | '.repeat(5_000)}\n`.repeat(4)
  t.equal(findPictures(text).length, 20_000)
  t.equal(findPictures(`> ${text.replaceAll('|', '\n> ')}`).length, 20_000)
})
