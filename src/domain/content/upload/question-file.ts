/** Formats of files with questions */
export type QuestionFormat = 'moodle' | 'gift' | 'aiken'

const MOODLE = /^(?:<\?xml[^>]{0,200}\?>)?\s*(?:<!--(?:(?!-->)[\s\S]){0,2000}-->\s*)*<quiz[\s>]/i
/** Options, and behind them the letter of the right one */
const AIKEN = /^[A-Z][).][^\n]+\n+[A-Z][).][^\n]+\n(?:[^\n]*\n)*?[ \t]*ANSWER:[ \t]*[A-Z][ \t]*$/m
/** A category, a title, or answers in braces; a table about braces has no answers of these forms. */
const GIFT_START = /^\s*(?:\$CATEGORY:|::[^\n]*?::)/
const GIFT_ANSWERS = /(?<!\\)\{\s*(?:[=~]|#\s*[=.\d+-]|(?:T|TRUE|F|FALSE)\s*[#}])/
/** Braces for a text of any length, which a table may ask about */
const GIFT_ESSAY = /(?<!\\)\{\s*\}/
/** A tab between cells; others indent answers. */
const CELLS = /\S.*\t/
/** Any separator of cells; in a sentence, a comma has a space behind it. */
const ANY_CELLS = /[\t;|]|,\S/
const MAX_LINES = 50

/**
 * Recognises a file with questions by its beginning; undefined for any other file.
 * @param head about the first 4 kB
 * @example findQuestionFormat(Buffer.from('2 + 2?{=4}')) // 'gift'
 */
export function findQuestionFormat(head: Uint8Array): QuestionFormat | undefined {
  const text = Buffer.from(head.buffer, head.byteOffset, head.length)
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/, '')
    .replaceAll(/\r\n?/g, '\n')
  if (MOODLE.test(text.trimStart())) return 'moodle'
  if (AIKEN.test(text.split('\n', MAX_LINES).join('\n'))) return 'aiken'
  const first = firstBlock(text)
  const isGift =
    GIFT_START.test(first) ||
    (GIFT_ANSWERS.test(first) && !CELLS.test(first)) ||
    (GIFT_ESSAY.test(first) && !ANY_CELLS.test(first))
  return isGift ? 'gift' : undefined
}

/** Returns the lines up to the first blank one, without the comments of GIFT. */
function firstBlock(text: string): string {
  const blocks = text.replaceAll(/^[ \t]*\/\/[^\n]*$/gm, '').split(/\n[ \t]*\n/)
  return blocks.find((block) => block.trim() !== '') ?? ''
}
