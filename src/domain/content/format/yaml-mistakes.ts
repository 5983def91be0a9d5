import type { LineCounter, YAMLError, YAMLWarning } from 'yaml'

type Problem = YAMLError | YAMLWarning

interface Mistake {
  /** Line within the YAML, from 0 */
  line: number
  message: string
}

export const PAIRS_ONLY = 'Das Front Matter muss aus Zeilen „schlüssel: wert“ bestehen'

const TAB = 'Die Zeile ist mit einem Tabulator eingerückt: erlaubt sind nur Leerzeichen'
const INDENTATION = 'Die Zeile ist anders eingerückt als die davor: jeder Schlüssel steht am Anfang seiner Zeile'
const COLON = 'Der Wert enthält einen Doppelpunkt und muss deshalb in Anführungszeichen stehen'
const NO_SPACE = 'Hinter dem Doppelpunkt fehlt ein Leerzeichen'
const AFTER_QUOTE = 'Hinter dem schließenden Anführungszeichen steht noch Text'
const ESCAPE =
  'In doppelten Anführungszeichen hat \\ eine besondere Bedeutung: \\\\ oder einfache Anführungszeichen schreiben'

const SPECIAL = /^(?:[@`%*&!|>,{}[\]]|[-?](?= |$))/
const PAIR = /^\s*[^:]*?:(?:\s+(.*))?$/

export function describeSpecialStart(character: string): string {
  return `Ein Wert, der mit ${character} beginnt, muss in Anführungszeichen stehen`
}

/**
 * Describes YAML mistakes in German with their lines. The parser reports the token where it failed, which is often
 * several lines below the mistake. Of several problems on a line, only the first is described, because the others
 * usually follow from it.
 */
export function describeMistakes(yaml: string, problems: readonly Problem[], counter: LineCounter): Mistake[] {
  const lines = yaml.split('\n')
  const lineOf = (offset: number) => counter.linePos(Math.min(offset, yaml.length)).line - 1
  // An indented line causes two problems at the same position, BLOCK_AS_IMPLICIT_KEY and MULTILINE_IMPLICIT_KEY. The
  // second one is skipped; it only gives the last line of the supposed key.
  const nested = new Set(problems.filter(({ code }) => code === 'BLOCK_AS_IMPLICIT_KEY').map(({ pos }) => pos[0]))
  const ends = new Map(problems.filter(({ code }) => code === TOO_LONG).map(({ pos }) => [pos[0], lineOf(pos[1] - 1)]))
  const mistakes = new Map<number, Mistake>()
  for (const problem of problems) {
    const start = problem.pos[0]
    if (problem.code === TOO_LONG && nested.has(start)) continue
    // After the first mistake the parser may consider the document finished and report every remaining word.
    if (mistakes.size > 0 && problem.message.includes('in YAML stream')) continue
    const line = lineOf(start)
    const mistake = describe(problem, lines, line, nested.has(start) ? (ends.get(start) ?? line) : line)
    if (!mistakes.has(mistake.line)) mistakes.set(mistake.line, mistake)
  }
  return [...mistakes.values()]
}

const TOO_LONG = 'MULTILINE_IMPLICIT_KEY'

/** Describes a problem in German. @param end last line of the supposed key; equals `line` if the key has one line */
function describe({ code, message }: Problem, lines: string[], line: number, end: number): Mistake {
  const text = lines[line] ?? ''
  const value = PAIR.exec(text)?.[1] ?? ''
  if (isIndentedByTab(text)) return { line, message: TAB }
  const quote = code === 'MISSING_CHAR' ? /^Missing closing (["'])/.exec(message)?.[1] : undefined
  if (quote !== undefined) {
    const opened = findOpening(lines, line, quote)
    return { line: opened, message: `Das Anführungszeichen ${quote} wird nicht geschlossen` }
  }
  const bracket =
    code === 'BAD_INDENT' ? { sequence: '[', map: '{' }[/^Flow (\w+)/.exec(message)?.[1] ?? ''] : undefined
  if (bracket !== undefined) {
    return { line: findOpening(lines, line, bracket), message: `Die Klammer ${bracket} wird nicht geschlossen` }
  }
  if (code === 'BAD_DQ_ESCAPE') return { line, message: ESCAPE }
  if (end > line) return { line: end, message: isIndentedByTab(lines[end] ?? '') ? TAB : INDENTATION }
  if (/^["']/.test(value)) return { line, message: AFTER_QUOTE }
  const special = SPECIAL.exec(value)?.[0]
  if (special !== undefined) return { line, message: describeSpecialStart(special) }
  if (code === 'BLOCK_AS_IMPLICIT_KEY') return { line, message: COLON }
  if (code === 'UNEXPECTED_TOKEN' && /^\s/.test(lines[line - 1] ?? '') && !/^\s/.test(text)) {
    return { line, message: INDENTATION }
  }
  if (/^[^\s:]+:[^ ]/.test(text)) return { line, message: NO_SPACE }
  if (!PAIR.test(text) || text.startsWith('- ')) return { line, message: PAIRS_ONLY }
  return { line, message: `Das Front Matter ist kein gültiges YAML (${code})` }
}

function isIndentedByTab(line: string): boolean {
  return /^ *\t/.test(line)
}

/** Returns the last line up to `line` with a key or value that starts with the character; `line` if there is none. */
function findOpening(lines: string[], line: number, character: string): number {
  for (let at = line; at >= 0; at--) {
    const text = lines[at] ?? ''
    if (text.trimStart().startsWith(character) || PAIR.exec(text)?.[1]?.startsWith(character)) return at
  }
  return line
}
