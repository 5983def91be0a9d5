import t from 'tap'
import { formatAnkiText } from '../../../src/domain/anki/text-export.js'
import { toFieldHtml } from '../../../src/domain/anki/write/card-html.js'
import { escapePictures, findPictures } from '../../../src/domain/pictures/markdown.js'
import { excerptOf } from '../../../src/domain/search/excerpt.js'
import { diffTexts } from '../../../web/src/editor/word-diff.js'
import { inlineParts } from '../../../web/src/markdown/inline.js'
import { isLinear } from '../../support/linear.js'

for (const [name, convert, size, pieces] of [
  ['a text export for Anki', formatAnkiText, 20_000, ['```', '```\n', '**', '** ', '`**\n', '```a']],
  [
    'a field of an Anki package',
    (text: string) => toFieldHtml(text, { stored: new Set(), shown: new Map() }),
    20_000,
    ['[$][latex][/$$]', '[$]a[/$]', '[latex][/latex]'],
  ],
  ['a question in a list', inlineParts, 50_000, ['`', '**a', '`a``b', '![a']],
] as const) {
  t.test(`${name} is written in linear time`, async (t) => {
    for (const piece of pieces) {
      t.ok(
        isLinear((times) => convert(piece.repeat(times)), size),
        JSON.stringify(piece),
      )
    }
  })
}

t.test('nested pictures are found and escaped in linear time', async (t) => {
  const find = (depth: number) =>
    findPictures(escapePictures(`${'!['.repeat(depth)}${'](x)'.repeat(depth)}`, () => true))
  t.ok(isLinear(find, 8_000))
})

t.test('an excerpt of a long text is found in linear time', async (t) => {
  const find = (lines: number) => {
    const source = `${'Ein Satz ohne das Wort.\n'.repeat(lines)}Die Nadel im Heu.\n${'Danach noch einer.\n'.repeat(lines)}`
    return excerptOf(source, { whole: new Set(['nadel']), parts: new Map() })
  }
  t.ok(isLinear(find, 40_000))
})

t.test('long texts without a common word are compared in linear time', async (t) => {
  const long = (word: string, words: number) => Array.from({ length: words }, (_, at) => `${word}${at}`).join(' ')
  t.ok(isLinear((words) => diffTexts(long('a', words), long('b', words)), 20_000))
})
