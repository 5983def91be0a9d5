import {
  type ConvertLimits,
  QuestionCollector,
  type RawAnswer,
  type RawCommon,
  type RawQuestion,
  type RawText,
  type ReadQuestions,
  type TextFormat,
  UnsupportedQuestion,
  withoutRootCategory,
} from '../exchange/index.js'

/**
 * Control characters of GIFT that a backslash escapes. During parsing, Unicode noncharacters from `FIRST_MARK` on
 * replace the escaped characters.
 */
const ESCAPED = ':#={}~'
const FIRST_MARK = 0xfdd0
const BACKSLASH_MARK = '\u{fddb}'
const LINE_MARK = '\u{fdda}'
const MARKS = /[\u{fdd0}-\u{fdef}]/gu

const FORMATS: Readonly<Record<string, TextFormat>> = {
  html: 'html',
  markdown: 'markdown',
  plain: 'plain',
  moodle: 'auto',
}

interface Block {
  /** First line of the text in the file, from 1 */
  line: number
  /** Text without comments; `markEscapes` has replaced escaped characters */
  text: string
  id: string | null
  tags: string[]
}

/**
 * Reads questions in the GIFT format. A blank line ends a question; lines that start with `//` are comments.
 * @example readGift('2 + 2?{#4}', { maxLength: 1_000, maxQuestions: 10 }).questions[0]?.answer // '4'
 */
export function readGift(source: string, limits: ConvertLimits): ReadQuestions {
  const collector = new QuestionCollector(limits)
  let category: string | null = null
  for (const block of splitBlocks(source)) {
    if (collector.isFull) {
      collector.refuse(block.line, block.text, `Die Datei hat mehr als ${limits.maxQuestions} Fragen`)
      break
    }
    const moved = /^\$CATEGORY:([^\n]*)/.exec(block.text)
    if (moved !== null) {
      category = withoutRootCategory(unmark(moved[1] ?? '', 'plain'))
      continue
    }
    const name = TITLE.exec(block.text)?.[1] ?? block.text
    collector.attempt(block.line, unmark(name, 'plain'), () => readBlock(block, category))
  }
  return collector.result
}

const TITLE = /^\s*::(.*?)::/s

function* splitBlocks(source: string): Generator<Block> {
  let block: Block | undefined
  let lineNumber = 0
  for (const line of source.replace(/^\ufeff/, '').split(/\r\n?|\n/)) {
    lineNumber++
    if (line.trim() === '') {
      if (block !== undefined && block.text !== '') yield block
      block = undefined
      continue
    }
    block ??= { line: lineNumber, text: '', id: null, tags: [] }
    if (line.trimStart().startsWith('//')) readComment(line, block)
    else if (/^\s*\$CATEGORY:/.test(line) && block.text === '') {
      yield { ...block, line: lineNumber, text: markEscapes(line.trim()) }
      block = undefined
    } else {
      if (block.text === '') block.line = lineNumber
      block.text += `${block.text === '' ? '' : '\n'}${markEscapes(line)}`
    }
  }
  if (block !== undefined && block.text !== '') yield block
}

/** Reads id and tags, which Moodle writes into comments. */
function readComment(line: string, block: Block): void {
  block.id = /\[id:([^\]]{1,200})\]/.exec(line)?.[1]?.trim() || block.id
  for (const [, tag = ''] of line.matchAll(/\[tag:([^\]]{1,200})\]/g)) block.tags.push(tag.trim())
}

function markEscapes(line: string): string {
  return line.replaceAll(MARKS, '\ufffd').replaceAll(/\\([\\n:#={}~])/g, (_, character: string) => {
    if (character === '\\') return BACKSLASH_MARK
    if (character === 'n') return LINE_MARK
    return String.fromCharCode(FIRST_MARK + ESCAPED.indexOf(character))
  })
}

function unmark(text: string, format: TextFormat): string {
  return text.replaceAll(MARKS, (mark) => {
    if (mark === BACKSLASH_MARK) return '\\'
    // Moodle turns line breaks into `<br>` in its own format only; in HTML they are white space.
    if (mark === LINE_MARK) return format === 'auto' ? '<br>' : '\n'
    return ESCAPED[mark.charCodeAt(0) - FIRST_MARK] ?? ''
  })
}

/** Reads a text with an optional format, such as `[html]<b>a</b>`; the default format is `fallback`. */
function readText(text: string, fallback: TextFormat): RawText {
  const trimmed = text.trim()
  const [prefix = '', name = ''] = /^\[([a-z]+)\]/.exec(trimmed) ?? []
  const own = FORMATS[name]
  const format = own ?? fallback
  return { text: unmark(own === undefined ? trimmed : trimmed.slice(prefix.length), format).trim(), format }
}

function readBlock({ line, text, id, tags }: Block, category: string | null): RawQuestion {
  const [title = '', written] = TITLE.exec(text) ?? []
  const content = text.slice(title.length)
  const start = content.indexOf('{')
  const end = content.indexOf('}')
  if (start < 0 && end < 0) throw new UnsupportedQuestion('Der Text enthält keine Antworten in { }')
  if (start < 0 || end < start)
    throw new UnsupportedQuestion('Die Klammern { } fehlen oder sind vertauscht; eine Leerzeile beendet eine Frage')
  const behind = content.slice(end + 1).trim()
  if (behind.includes('{')) throw new UnsupportedQuestion('Nur eine Gruppe von Antworten in { } ist möglich')
  // If text follows the answers, the answers stand for a missing word, which becomes `_____`.
  const asked = readText(content.slice(0, start) + (behind === '' ? '' : `_____${content.slice(end + 1)}`), 'auto')
  const [answers = '', explanation = ''] = splitLast(content.slice(start + 1, end), '####')
  const common: RawCommon = {
    line,
    name: unmark(written ?? '', 'plain').trim(),
    question: asked,
    explanation: readText(explanation, asked.format),
    id,
    category,
    tags,
    changes: [],
  }
  return readAnswers(common, answers.trim(), asked.format)
}

function splitLast(text: string, separator: string): string[] {
  const at = text.lastIndexOf(separator)
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + separator.length)]
}

const TRUE_OR_FALSE = /^(?:(T|TRUE)|F|FALSE)\s*(?:#|$)/

function readAnswers(common: RawCommon, answers: string, format: TextFormat): RawQuestion {
  if (answers === '') return { ...common, kind: 'plain' }
  if (answers.startsWith('#')) return { ...common, kind: 'number', unit: null, answers: readNumbers(answers, format) }
  if (answers.includes('~')) return readChoice(common, answers, format)
  if (answers.includes('=') && answers.includes('->')) return readPairs(common, answers, format)
  const trueOrFalse = TRUE_OR_FALSE.exec(answers)
  if (trueOrFalse !== null) return readTrueOrFalse(common, answers, { isTrue: trueOrFalse[1] !== undefined, format })
  return {
    ...common,
    kind: 'text',
    answers: split(answers, '=').map((one) => readAnswer(one, { percent: 100, format })),
  }
}

/** Splits answers at the separator. Returns the trimmed parts, without an empty part before the first separator. */
function split(answers: string, separator: string): string[] {
  return answers
    .split(separator)
    .filter((part, index) => index > 0 || part.trim() !== '')
    .map((part) => part.trim())
}

function readAnswer(written: string, { percent, format }: { percent: number; format: TextFormat }): RawAnswer {
  const [prefix = '', weight] = /^%(-?\d{1,3}(?:\.\d*)?)%/.exec(written) ?? []
  const [text = '', ...feedback] = written.slice(prefix.length).split('#')
  return {
    ...readText(text, format),
    percent: weight === undefined ? percent : Number(weight),
    feedback: readText(feedback.join('#'), format),
  }
}

/** A wrong answer's `~` before the `=` of a right one; many programs write it, although GIFT has only `=` */
const TILDE_BEFORE_EQUALS = /~\s*(?:%100(?:\.0*)?%\s*)?=/g
const WEIGHT_BEFORE_EQUALS = /~\s*%-?\d{1,3}(?:\.\d*)?%\s*=/
const EQUALS_BEFORE_TILDE = /=\s*~/
const READ_AS_RIGHT = 'Vor einer Antwort steht „~=“; sie ist als richtig gelesen, wie mit „=“'

function readChoice(common: RawCommon, answers: string, format: TextFormat): RawQuestion {
  const marked = answers.replaceAll(TILDE_BEFORE_EQUALS, '=')
  const changes = marked === answers ? common.changes : [...common.changes, READ_AS_RIGHT]
  requireClearMarks(answers, marked)
  const parts = split(marked.replaceAll('=', '~='), '~')
  return {
    ...common,
    changes,
    kind: 'choice',
    // Without an answer that gives all points (`=`), learners may choose several answers.
    isSingle: answers.includes('='),
    answers: parts.map((part) => {
      return part.startsWith('=')
        ? readAnswer(part.slice(1).trimStart(), { percent: 100, format })
        : readAnswer(part, { percent: 0, format })
    }),
  }
}

/**
 * Refuses answers whose marks contradict each other.
 * @param marked `answers` with `=` in place of `~=`
 * @throws UnsupportedQuestion if it is unclear which answers are right
 */
function requireClearMarks(answers: string, marked: string): void {
  if (WEIGHT_BEFORE_EQUALS.test(marked)) {
    throw new UnsupportedQuestion('Vor einer Antwort stehen Teilpunkte und „=“, also ist unklar, was sie zählt')
  }
  if (EQUALS_BEFORE_TILDE.test(marked)) {
    throw new UnsupportedQuestion('Hinter „=“ steht gleich „~“, also ist unklar, ob die Antwort richtig ist')
  }
  // Beside a right answer, the equals sign may be part of a wrong one, as in a question about formulas.
  if (marked !== answers && answers.replaceAll(TILDE_BEFORE_EQUALS, '').includes('=')) {
    throw new UnsupportedQuestion(
      'Vor Antworten steht „=“ und „~=“, also ist unklar, welche richtig sind; ein Gleichheitszeichen im Text ist „\\=“',
    )
  }
}

function readTrueOrFalse(
  common: RawCommon,
  answers: string,
  { isTrue, format }: { isTrue: boolean; format: TextFormat },
): RawQuestion {
  const [, wrong = '', right = ''] = answers.split('#')
  const option = (text: string, value: boolean): RawAnswer => {
    const isRight = value === isTrue
    return { text, format: 'plain', percent: isRight ? 100 : 0, feedback: readText(isRight ? right : wrong, format) }
  }
  return { ...common, kind: 'choice', isSingle: true, answers: [option('Wahr', true), option('Falsch', false)] }
}

/** Reads pairs. The format has no feedback to a pair, but files contain it; `#` in a text is written `\#`. */
function readPairs(common: RawCommon, answers: string, format: TextFormat): RawQuestion {
  let hasFeedback = false
  const pairs = split(answers, '=').map((part) => {
    const at = part.indexOf('->')
    if (at < 0)
      throw new UnsupportedQuestion(`Der Zuordnung „${unmark(part, 'plain').slice(0, 60)}“ fehlt ein ->`, 'pair')
    const [right = '', ...feedback] = part.slice(at + 2).split('#')
    hasFeedback ||= feedback.length > 0
    return { left: readText(part.slice(0, at), format), right: unmark(right, 'plain').trim() }
  })
  const changes = hasFeedback ? [...common.changes, PAIR_FEEDBACK] : common.changes
  return { ...common, changes, kind: 'pairs', pairs }
}

const PAIR_FEEDBACK = 'Rückmeldungen zu einzelnen Zuordnungen entfallen'

function readNumbers(answers: string, format: TextFormat): RawAnswer[] {
  const [numbers = ''] = answers.slice(1).split('~')
  return split(numbers, '=').map((written) => {
    const answer = readAnswer(written, { percent: 100, format })
    const range = /^(.+?)\.\.(.+)$/.exec(answer.text)
    if (range !== null) return { ...answer, ...middleOf(range[1] ?? '', range[2] ?? '') }
    const [text = '', tolerance = ''] = answer.text.split(':')
    return { ...answer, text: text.trim(), tolerance: tolerance.trim() }
  })
}

/** Returns the middle of a range and the distance to its ends, rounded to 12 digits to avoid binary rounding errors. */
function middleOf(from: string, to: string): { text: string; tolerance: string } {
  const round = (value: number) => String(Number(value.toPrecision(12)))
  const [low, high] = [Number(from), Number(to)]
  if (!Number.isFinite(low) || !Number.isFinite(high))
    throw new UnsupportedQuestion(`„${from}..${to}“ ist kein Bereich von Zahlen`, 'range')
  return { text: round((low + high) / 2), tolerance: round((high - low) / 2) }
}
