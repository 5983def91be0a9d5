import { type ConvertLimits, EMPTY, QuestionCollector, type ReadQuestions } from '../exchange/index.js'

const OPTION = /^([A-Z])[).]\s*(.*)$/
const ANSWER = /^ANSWER:\s*(.*)$/

interface Open {
  line: number
  question: string[]
  options: Map<string, string>
}

/**
 * Reads questions in the Aiken format: a question, options such as `A) text` or `A. text`, and `ANSWER: A`. Blank lines
 * are ignored. All texts are plain text.
 * @example readAiken('2 + 2?\nA) 4\nB) 5\nANSWER: A', { maxLength: 1_000, maxQuestions: 10 }).questions.length // 1
 */
export function readAiken(source: string, limits: ConvertLimits): ReadQuestions {
  const collector = new QuestionCollector(limits)
  let open: Open | undefined
  for (const [index, written] of source
    .replace(/^\ufeff/, '')
    .split(/\r\n?|\n/)
    .entries()) {
    const text = written.trim()
    if (text === '') continue
    if (collector.isFull) {
      collector.refuse(index + 1, text, `Die Datei hat mehr als ${limits.maxQuestions} Fragen`)
      return collector.result
    }
    const [, letter, option = ''] = OPTION.exec(text) ?? []
    const [, key] = ANSWER.exec(text) ?? []
    if (key !== undefined) {
      finish(collector, open ?? startAt(index + 1), key.trim())
      open = undefined
    } else if (letter !== undefined) {
      open ??= startAt(index + 1)
      if (open.options.has(letter)) {
        collector.refuse(open.line, open.question.join(' '), `Die Antwort ${letter} steht zweimal da`)
        open = startAt(index + 1)
      }
      open.options.set(letter, option)
    } else {
      if (open !== undefined && open.options.size > 0) {
        collector.refuse(open.line, open.question.join(' '), 'Nach den Antworten fehlt die Zeile „ANSWER: …“')
        open = undefined
      }
      open ??= startAt(index + 1)
      open.question.push(text)
    }
  }
  if (open !== undefined) collector.refuse(open.line, open.question.join(' '), 'Die Zeile „ANSWER: …“ fehlt')
  return collector.result
}

function startAt(line: number): Open {
  return { line, question: [], options: new Map() }
}

function finish(collector: QuestionCollector, open: Open, key: string): void {
  const { line, question, options } = open
  const name = question.join(' ')
  const fault = faultOf(open, key)
  if (fault !== undefined) {
    collector.refuse(line, name || [...options.values()].join(' '), fault)
    return
  }
  collector.add({
    kind: 'choice',
    isSingle: true,
    line,
    name,
    question: { text: question.join('\n'), format: 'plain' },
    explanation: EMPTY,
    id: null,
    category: null,
    tags: [],
    changes: [],
    answers: [...options].map(([letter, text]) => {
      return { text, format: 'plain', percent: letter === key ? 100 : 0, feedback: EMPTY }
    }),
  })
}

function faultOf({ question, options }: Open, key: string): string | undefined {
  if (question.length === 0) return 'Vor den Antworten fehlt die Frage'
  if (options.size < 2) return 'Es gibt weniger als zwei Antworten'
  return options.has(key) ? undefined : `Die Antwort „${key.slice(0, 20)}“ gibt es nicht`
}
