type Part = string | Gap

interface Gap {
  ordinals: number[]
  parts: Part[]
  hint: string | undefined
}

const OPEN = /\{\{c(\d{1,4}(?:,\d{1,4})*)::/y
/** Maximum nesting depth of gaps; deeper gaps stay text */
const MAX_DEPTH = 10

/**
 * Parses the gaps (cloze deletions) of a field, such as `{{c1::text::hint}}`; unclosed gaps stay text.
 * @example parseClozes('Die {{c1::SSH::Kürzel}}') // ['Die ', { ordinals: [1], parts: ['SSH'], hint: 'Kürzel' }]
 */
export function parseClozes(field: string): Part[] {
  const root: Part[] = []
  const open: { gap: Gap; written: string }[] = []
  const add = (part: Part) => {
    const gap = open.at(-1)?.gap
    if (gap === undefined) root.push(part)
    else if (gap.hint === undefined || typeof part !== 'string') gap.parts.push(part)
    else gap.hint += part
  }
  let done = 0
  for (let at = nextMark(field, 0); at >= 0; at = nextMark(field, at)) {
    if (field.startsWith('}}', at)) {
      const closing = open.at(-1)
      if (closing !== undefined) {
        addText(field.slice(done, at), closing.gap, add)
        open.pop()
        add(closing.gap)
        done = at + 2
      }
      at += 2
      continue
    }
    OPEN.lastIndex = at
    const match = OPEN.exec(field)
    if (match === null || open.length >= MAX_DEPTH) {
      at += 2
      continue
    }
    addText(field.slice(done, at), open.at(-1)?.gap, add)
    const ordinals = (match[1] as string).split(',').map(Number)
    open.push({ gap: { ordinals, parts: [], hint: undefined }, written: match[0] })
    at += match[0].length
    done = at
  }
  addText(field.slice(done), open.at(-1)?.gap, add)
  while (open.length > 0) {
    const { gap, written } = open.pop() as (typeof open)[number]
    add(written)
    for (const part of gap.parts) add(part)
    if (gap.hint !== undefined) add(`::${gap.hint}`)
  }
  return root
}

function nextMark(field: string, from: number): number {
  MARK.lastIndex = from
  return MARK.exec(field)?.index ?? -1
}

const MARK = /\{\{c|\}\}/g

/** Adds text to the open gap or the field. In a gap, the text after the first `::` is the hint. */
function addText(text: string, gap: Gap | undefined, add: (part: Part) => void): void {
  const colons = gap === undefined || gap.hint !== undefined ? -1 : text.indexOf('::')
  if (colons < 0) {
    if (text !== '') add(text)
    return
  }
  if (colons > 0) add(text.slice(0, colons))
  if (gap !== undefined) gap.hint = text.slice(colons + 2)
}

export function clozeNumbers(parts: readonly Part[]): Set<number> {
  const numbers = new Set<number>()
  for (const part of parts) {
    if (typeof part === 'string') continue
    for (const number of part.ordinals) numbers.add(number)
    for (const number of clozeNumbers(part.parts)) numbers.add(number)
  }
  return numbers
}

/**
 * Renders a field as HTML. Gaps with this number become `[hint]` or `[…]` on the front and are bold on the back.
 * Returns an empty string if the field has no gap with this number.
 * @example renderClozes('Die {{c1::SSH}}-Sitzung', 1, 'front') // 'Die […]-Sitzung'
 */
export function renderClozes(field: string, number: number, side: 'front' | 'back'): string {
  const parts = parseClozes(field)
  return clozeNumbers(parts).has(number) ? render(parts, number, side) : ''
}

/**
 * Returns the contents of the gaps with this number, separated by commas.
 * @example clozeOnly('{{c1::a}} {{c2::b}} {{c1::c}}', 1) // 'a, c'
 */
export function clozeOnly(field: string, number: number): string {
  const texts: string[] = []
  const visit = (parts: readonly Part[]) => {
    for (const part of parts) {
      if (typeof part === 'string') continue
      if (part.ordinals.includes(number)) texts.push(render(part.parts, number, 'back'))
      else visit(part.parts)
    }
  }
  visit(parseClozes(field))
  return texts.join(', ')
}

function render(parts: readonly Part[], number: number, side: 'front' | 'back'): string {
  return parts
    .map((part) => {
      if (typeof part === 'string') return part
      const inside = () => render(part.parts, number, side)
      if (!part.ordinals.includes(number)) return inside()
      return side === 'back' ? `<b>${inside()}</b>` : `[${part.hint || '…'}]`
    })
    .join('')
}

/**
 * Returns whether the gaps cover areas of a picture (Anki's image occlusion or the add-on Closet), which cannot be
 * rendered as text.
 */
export function isOcclusion(field: string): boolean {
  return /\{\{c\d+::image-occlusion:|\[#!occlusions\b/.test(field)
}
