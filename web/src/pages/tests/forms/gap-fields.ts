const MAX_LENGTH = 1_000
const GAP = /\{\{([^{}]+)\}\}/g
const NUMBERED_GAP = /\{\{(\d+)\}\}/

interface Gap {
  id: string
  /** Texts to choose from; undefined if the gap is typed */
  choices?: string[]
}

type GapField = HTMLInputElement | HTMLSelectElement

/**
 * Replaces each gap in the Markdown with its number from 1, because an id may contain Markdown syntax.
 * @example numberGaps('In {{a_1}} Stunden', [{ id: 'a_1' }]) // 'In {{1}} Stunden'
 */
export function numberGaps(source: string, gaps: readonly Gap[]): string {
  return source.replaceAll(GAP, (whole, inside: string) => {
    const index = gaps.findIndex(({ id }) => id === inside)
    return index === -1 ? whole : `{{${index + 1}}}`
  })
}

/**
 * Replaces each numbered gap in the text of an element with a field, in reading order. A gap that the text does not
 * show, for example within an address, gets its field at the end. Returns the fields by id of the gap.
 */
export function putFields(
  element: HTMLElement,
  gaps: readonly Gap[],
  onchange: (id: string, text: string, options: { isTyped: boolean }) => void,
): Map<string, GapField> {
  const fields = new Map<string, GapField>()
  const make = (gap: Gap) => {
    const field = createField(gap, `Lücke ${gaps.indexOf(gap) + 1} von ${gaps.length}`)
    field.addEventListener('input', () => onchange(gap.id, field.value, { isTyped: gap.choices === undefined }))
    fields.set(gap.id, field)
    return field
  }
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode() as Text | null; node !== null; node = walker.nextNode() as Text | null) {
    const match = NUMBERED_GAP.exec(node.data)
    const gap = gaps[Number(match?.[1]) - 1]
    if (match === null || gap === undefined || fields.has(gap.id)) continue
    const rest = node.splitText(match.index)
    rest.data = rest.data.slice(match[0].length)
    rest.before(make(gap))
  }
  for (const gap of gaps) if (!fields.has(gap.id)) element.append(make(gap), ' ')
  return fields
}

function createField({ id, choices }: Gap, label: string): GapField {
  const field = choices === undefined ? document.createElement('input') : document.createElement('select')
  field.setAttribute('aria-label', label)
  field.dataset.gap = id
  if (field instanceof HTMLInputElement) {
    Object.assign(field, { type: 'text', maxLength: MAX_LENGTH, autocomplete: 'off', spellcheck: false })
    field.autocapitalize = 'off'
  } else field.append(...['', ...(choices ?? [])].map((text) => new Option(text || '…', text)))
  return field
}
