import { markGap, type RawGap, UnsupportedQuestion } from '../exchange/index.js'

export interface Cloze {
  /** Text with marks for the gaps */
  text: string
  gaps: RawGap[]
  changes: string[]
}

const START = /\{\d*:([A-Z_]+):/g
const TEXTS = new Set(['SHORTANSWER', 'SA', 'MW', 'SHORTANSWER_C', 'SAC', 'MWC'])
const NUMBERS = new Set(['NUMERICAL', 'NM'])
const CHOICES = /^(?:MULTICHOICE|MC)(?:_?[VHS]+)?$/
/** Noncharacter that replaces a backslash and the character after it while an answer is split */
const LITERAL_START = 0xfde0

/**
 * Reads Moodle's embedded answers, such as `{1:SHORTANSWER:=72~=zweiundsiebzig#Genau}`.
 * @throws UnsupportedQuestion if a gap cannot be read
 * @example readCloze('{1:SA:=a}', (text) => text).gaps // [[{ text: 'a', isRight: true }]]
 */
export function readCloze(text: string, toPlain: (text: string) => string): Cloze {
  const gaps: RawGap[] = []
  const changes = new Set<string>()
  let written = ''
  let done = 0
  for (const start of text.matchAll(START)) {
    if (start.index < done) continue
    const from = start.index + start[0].length
    const end = findEnd(text, from)
    if (end === undefined)
      throw new UnsupportedQuestion(
        `Eine Lücke hat keine schließende Klammer: ${text.slice(start.index, start.index + 40)}`,
      )
    const gap = readGap(start[1] ?? '', text.slice(from, end), changes)
    written += text.slice(done, start.index) + markGap(gaps.length)
    gaps.push(gap.map(({ text, isRight }) => ({ text: toPlain(text), isRight })))
    done = end + 1
  }
  return { text: written + text.slice(done), gaps, changes: [...changes] }
}

function findEnd(text: string, from: number): number | undefined {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '}') return at
  }
  return undefined
}

function readGap(type: string, answers: string, changes: Set<string>): RawGap {
  const isNumber = NUMBERS.has(type)
  const isChoice = CHOICES.test(type)
  if (!isChoice && !isNumber && !TEXTS.has(type))
    throw new UnsupportedQuestion(`Lücken der Art „${type}“ gibt es hier nicht`, 'gap type')
  const literals: string[] = []
  const marked = answers.replaceAll(/\\(.)/gs, (_, character: string) => {
    literals.push(character)
    return String.fromCharCode(LITERAL_START)
  })
  const restore = (part: string) => {
    const all = [...part].map((character) => (character.charCodeAt(0) === LITERAL_START ? literals.shift() : character))
    return all.join('')
  }
  const gap: RawGap = []
  for (const [index, part] of marked.split('~').entries()) {
    const [, full, weight, body = ''] = /^\s*(?:(=)|%(-?\d+(?:\.\d*)?)%)?(.*)$/s.exec(part) ?? []
    const isRight = full !== undefined || Number(weight ?? 0) > 99.99
    // A reference such as `&#39;` starts no feedback.
    const [answer = '', ...feedback] = body.split(/(?<!&)#/)
    const text = restore(answer)
    if (feedback.length > 0) restore(feedback.join('#'))
    if (feedback.join('').trim() !== '') changes.add('Rückmeldungen zu einzelnen Antworten entfallen')
    const hasPart = !isRight && Number(weight ?? 0) > 0
    if (isChoice) gap.push({ text, isRight })
    else if (isRight && text.trim() !== '*') gap.push({ text: isNumber ? readNumber(text, changes) : text, isRight })
    if (hasPart)
      changes.add(isChoice ? 'Teilpunkte einzelner Antworten entfallen' : 'Antworten mit Teilpunkten entfallen')
    if (index > 100) throw new UnsupportedQuestion('Eine Lücke hat mehr als 100 Antworten')
  }
  return gap
}

/** Reads a number with a decimal point or comma; Moodle accepts both in a gap. */
function readNumber(written: string, changes: Set<string>): string {
  const [text = '', tolerance = ''] = written.split(':')
  const trimmed = text.trim()
  const isNumber = trimmed !== '' && Number.isFinite(Number(trimmed.replace(',', '.')))
  if (!isNumber) throw new UnsupportedQuestion(`„${trimmed}“ ist keine Zahl`, 'number')
  if (Number(tolerance.replace(',', '.')) !== 0) changes.add('Die Toleranz von Zahlen in Lücken entfällt')
  return trimmed.replace('.', ',')
}
