export type QuestionFormat = 'moodle' | 'gift' | 'aiken'

const MOODLE = /^(?:<\?xml[^>]{0,200}\?>)?\s*(?:<!--(?:(?!-->)[\s\S]){0,2000}-->\s*)*<quiz[\s>]/i
/** Two options in succession */
const AIKEN_OPTIONS = /^[ \t]*[A-Z][).][^\n]+\n+[ \t]*[A-Z][).][^\n]+\n/m
/** A line with the letters of the right options, as `readAiken` accepts it */
const AIKEN_ANSWER =
  /^[ \t]*(?:answers?|antwort(?:en)?)[ \t]*:[ \t]*[a-z][).]?(?:(?:[ \t,;/&+]|und|and)+[a-z][).]?)*[ \t]*$/im
const GIFT_START = /^\s*(?:\$CATEGORY:|::[^\n]*?::)/
/** Answers in braces, in forms that are unlikely in a table of questions about braces */
const GIFT_ANSWERS = /(?<!\\)\{\s*(?:[=~]|#\s*[=.\d+-]|(?:T|TRUE|F|FALSE)\s*[#}])/
/** Empty braces of an essay question, which may also occur in a table */
const GIFT_ESSAY = /(?<!\\)\{\s*\}/
/** Beginning of JSON, whose braces are not those of answers */
const JSON_START = /^\s*(?:\{|\[\s*(?:[[{"\]]|\d[\d.]*\s*(?:,|\]\s*$)))/
/** Tab between cells; a tab at the beginning of a line indents an answer */
const CELLS = /\S.*\t/
/** Any separator of table cells; a comma followed by a space is punctuation */
const ANY_CELLS = /[\t;|]|,\S/
const MAX_LINES = 50

/**
 * Returns the format of a file with questions, detected from its beginning; undefined for any other file.
 * @param head about the first 4 kB
 * @example findQuestionFormat(Buffer.from('2 + 2?{=4}')) // 'gift'
 */
export function findQuestionFormat(head: Uint8Array): QuestionFormat | undefined {
  const text = Buffer.from(head.buffer, head.byteOffset, head.length)
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/, '')
    .replaceAll(/\r\n?/g, '\n')
  if (MOODLE.test(text.trimStart())) return 'moodle'
  if (isAiken(text.split('\n', MAX_LINES).join('\n'))) return 'aiken'
  if (JSON_START.test(text)) return undefined
  const first = firstBlock(text)
  const isGift =
    GIFT_START.test(first) ||
    (GIFT_ANSWERS.test(first) && !CELLS.test(first)) ||
    (GIFT_ESSAY.test(first) && !ANY_CELLS.test(first))
  return isGift ? 'gift' : undefined
}

/** Returns whether two options stand in succession, followed later by a line with the right ones. */
function isAiken(text: string): boolean {
  const options = AIKEN_OPTIONS.exec(text)
  return options !== null && AIKEN_ANSWER.test(text.slice(options.index + options[0].length))
}

function firstBlock(text: string): string {
  const blocks = text.replaceAll(/^[ \t]*\/\/[^\n]*$/gm, '').split(/\n[ \t]*\n/)
  return blocks.find((block) => block.trim() !== '') ?? ''
}
