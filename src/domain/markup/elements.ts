/** Elements whose content does not appear as text */
export const HIDDEN = new Set(
  'script style title template iframe noembed noframes noscript object select datalist rp svg canvas applet'.split(' '),
)

export const VOID = new Set(
  'area base br col embed frame hr img input link meta param source track wbr basefont bgsound keygen'.split(' '),
)

/** Elements that start and end a line */
export const BLOCK_ELEMENTS = new Set(
  (
    'address article aside body center dd details dialog dir div dl dt fieldset figcaption figure footer form header ' +
    'hgroup html legend main menu nav optgroup option search section summary caption'
  ).split(' '),
)

export const STRUCTURE_ELEMENTS = new Set('ul ol li table thead tbody tfoot tr td th blockquote pre'.split(' '))

/** Inline elements that start and end a line if a style makes them blocks */
export const INLINE_ELEMENTS = new Set(
  'a abbr b bdi big cite em font i label mark q s small span strike strong u'.split(' '),
)

/** Elements that start and end a paragraph */
export const PARAGRAPHS = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'])

export const BOLD = new Set(['b', 'strong', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'])
export const ITALIC = new Set(['i', 'em', 'cite', 'dfn', 'var'])
export const CODE = new Set(['code', 'tt', 'kbd', 'samp'])

/**
 * Rule for a start tag, which closes the outermost open element in `ended` and everything inside that element. If an
 * element in `within` is open, the rule considers only elements inside the innermost such element.
 */
interface Ends {
  ended: ReadonlySet<string>
  /** Elements whose ancestors the rule must not close */
  within: ReadonlySet<string>
  /** Whether the rule applies only inside an element in `within` */
  isWithin?: boolean
}

const HEADINGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6']
/** Elements inside an open item; an item nested in such an element does not close the open item */
const BOUNDARIES = new Set([...BLOCK_ELEMENTS, ...STRUCTURE_ELEMENTS, ...HEADINGS, 'button', 'select'])
for (const name of ['address', 'div']) BOUNDARIES.delete(name)

function endsItems(...items: string[]): Ends {
  const ended = new Set(items)
  return { ended, within: new Set([...BOUNDARIES].filter((name) => !ended.has(name))) }
}

const TERMS = endsItems('dt', 'dd')
const READINGS = { ended: new Set(['rt', 'rp']), within: new Set(['ruby']), isWithin: true }
const SCOPES = ['td', 'th', 'caption', 'table', 'object']
const PARAGRAPH_ENDS: Ends = { ended: new Set(['p']), within: new Set([...SCOPES, 'button']) }
const ENDS: Readonly<Record<string, Ends>> = {
  li: endsItems('li'),
  dt: TERMS,
  dd: TERMS,
  rt: READINGS,
  rp: READINGS,
  button: { ended: new Set(['button']), within: new Set(SCOPES) },
  option: { ended: new Set(['option']), within: new Set(['select']) },
}
const END_PARAGRAPH = new Set(['ul', 'ol', 'li', 'pre', 'table', 'blockquote', 'hr', ...BLOCK_ELEMENTS, ...PARAGRAPHS])

export function* endsOf(name: string): Generator<Ends> {
  const ends = ENDS[name]
  if (ends !== undefined) yield ends
  if (END_PARAGRAPH.has(name)) yield PARAGRAPH_ENDS
}

const SECTIONS = ['thead', 'tbody', 'tfoot']
/**
 * Parts of a table, with the elements that may be open between the part and the table. The start tag of a part closes
 * all other open elements in the table.
 */
export const TABLE_PARTS: Readonly<Record<string, readonly string[]>> = {
  td: [...SECTIONS, 'tr'],
  th: [...SECTIONS, 'tr'],
  tr: SECTIONS,
  thead: [],
  tbody: [],
  tfoot: [],
  caption: [],
  colgroup: [],
}
