/** How a column names the right options of a question: by their texts, or by their numbers or letters */
export type Naming = 'text' | 'place'

/**
 * Returns how the rows name the right options; undefined if they do not show it. A number or letter shows nothing if it
 * is also the text of an option.
 * @example findNaming([{ cells: ['4', '2', '1'], correct: '2' }, { cells: ['x', 'y'], correct: '1' }]) // 'place'
 */
export function findNaming(rows: readonly { cells: readonly string[]; correct: string }[]): Naming | undefined {
  const shown = new Set<Naming>()
  for (const { cells, correct } of rows.filter((row) => row.correct !== '')) {
    const isText = placesByText(cells, correct) !== undefined
    const isPlace = placesByNumber(cells, correct) !== undefined
    if (isPlace && !isText) shown.add('place')
    if (!isPlace && (isText || !REFERENCE.test(correct))) shown.add('text')
  }
  const [naming] = shown
  return shown.size === 1 ? naming : undefined
}

/**
 * Splits the options of a row of a quiz table into right and wrong ones. `correct` names the right ones by number from
 * 1, by letter, or by their text. The columns count, also those whose cell is empty.
 * @param mayBeAnother whether `correct` may be an answer that is none of the options
 * @example findOptions(['rot', 'grün'], 'B', {}) // { right: ['grün'], wrong: ['rot'] }
 */
export function findOptions(
  cells: readonly string[],
  correct: string,
  { mayBeAnother = false, naming }: { mayBeAnother?: boolean; naming?: Naming | undefined },
): { right: string[]; wrong: string[] } | { fault: string } {
  if (correct === '') return { fault: 'Die richtige Antwort fehlt' }
  const byText = placesByText(cells, correct)
  const byNumber = placesByNumber(cells, correct)
  if (naming === undefined && byText !== undefined && byNumber !== undefined && !isSame(byText, byNumber)) {
    return { fault: unclear(correct) }
  }
  const places = naming === 'place' ? (byNumber ?? byText) : (byText ?? byNumber)
  if (places === undefined && mayBeAnother && (naming === 'text' || !REFERENCE.test(correct))) {
    return { right: [correct], wrong: cells.filter((text) => text !== '') }
  }
  if (places === undefined) {
    const counted = /^0[.)]?$/.test(correct) ? '; gezählt wird ab 1' : ''
    return { fault: `Die richtige Antwort „${shorten(correct)}“ ist keine der Möglichkeiten${counted}` }
  }
  const pick = (isRight: boolean) => cells.filter((text, place) => text !== '' && places.has(place) === isRight)
  return { right: pick(true), wrong: pick(false) }
}

function placesByText(cells: readonly string[], correct: string): Set<number> | undefined {
  const placeOf = (text: string) => (text === '' ? -1 : cells.indexOf(text))
  const whole = placeOf(correct)
  return whole >= 0 ? new Set([whole]) : allOf(partsOf(correct).map(placeOf))
}

function placesByNumber(cells: readonly string[], correct: string): Set<number> | undefined {
  const parts = /^[a-j]{2,10}$/i.test(correct) ? [...correct] : partsOf(correct)
  return allOf(
    parts.map((part) => {
      const { number, letter = '' } = REFERENCE.exec(part)?.groups ?? {}
      const place = number === undefined ? LETTERS.indexOf(letter.toLowerCase() || '-') : Number(number) - 1
      return (cells[place] ?? '') === '' ? -1 : place
    }),
  )
}

function partsOf(correct: string): string[] {
  const parts = correct.split(/[,;/|\n]|\bund\b|\band\b/).map((text) => text.trim())
  return parts.filter((text) => text !== '')
}

/** Returns the places; undefined if there are none or one is unknown. */
function allOf(places: readonly number[]): Set<number> | undefined {
  return places.length > 0 && places.every((place) => place >= 0) ? new Set(places) : undefined
}

function isSame(a: ReadonlySet<number>, b: ReadonlySet<number>): boolean {
  return a.size === b.size && [...a].every((place) => b.has(place))
}

function unclear(correct: string): string {
  const [sign, other] = /\d/.test(correct) ? ['die Nummer', 'ihrem Buchstaben'] : ['der Buchstabe', 'ihrer Nummer']
  return `„${shorten(correct)}“ kann ${sign} oder der Text einer Möglichkeit sein; nenne sie mit ${other}`
}

/** A number or letter that names an option */
const REFERENCE = /^(?:(?<number>\d{1,2})|(?<letter>[a-j]))[.)]?$/i
const LETTERS = 'abcdefghij'

const SHOWN = 60
const shorten = (text: string) => (text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text)
