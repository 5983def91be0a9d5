/** Elements whose content does not appear as text */
export const HIDDEN = new Set(
  'script style title template iframe noembed noframes noscript object select datalist rp svg canvas applet'.split(' '),
)

export const VOID = new Set(
  'area base br col embed frame hr img input link meta param source track wbr basefont bgsound keygen'.split(' '),
)

/** Elements that start and end a line */
export const LINES = new Set(
  (
    'address article aside body center dd details dialog dir div dl dt fieldset figcaption figure footer form header ' +
    'hgroup html legend main menu nav optgroup option search section summary caption'
  ).split(' '),
)

/** Lists, tables and their parts */
export const STRUCTURE = new Set('ul ol li table thead tbody tfoot tr td th blockquote pre'.split(' '))

/** Inline elements that start and end a line if a style makes them blocks */
export const WORDS = new Set('a abbr b bdi big cite em font i label mark q s small span strike strong u'.split(' '))

/** Elements that start and end a paragraph */
export const PARAGRAPHS = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'])

export const BOLD = new Set(['b', 'strong', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'])
export const ITALIC = new Set(['i', 'em', 'cite', 'dfn', 'var'])
export const CODE = new Set(['code', 'tt', 'kbd', 'samp'])

/** Rule for a start tag: closes open elements in `ended` that are inside the innermost open element in `within`. */
interface Ends {
  ended: ReadonlySet<string>
  /** Elements that protect their ancestors from being closed */
  within: ReadonlySet<string>
  /** Whether one of the elements in `within` must be open */
  isWithin?: boolean
}

const HEADINGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6']
/** Elements inside an open item that keep a nested item from closing that item */
const BOUNDARIES = new Set([...LINES, ...STRUCTURE, ...HEADINGS, 'button', 'select'])
for (const name of ['address', 'div']) BOUNDARIES.delete(name)

function endsItems(...items: string[]): Ends {
  const ended = new Set(items)
  return { ended, within: new Set([...BOUNDARIES].filter((name) => !ended.has(name))) }
}

const TERMS = endsItems('dt', 'dd')
const READINGS = { ended: new Set(['rt', 'rp']), within: new Set(['ruby']), isWithin: true }
const SCOPES = ['td', 'th', 'caption', 'table', 'object']
const PARAGRAPH_ENDS: Ends = { ended: new Set(['p']), within: new Set([...SCOPES, 'button']) }
/** Elements that implicitly close others when they start */
const ENDS: Readonly<Record<string, Ends>> = {
  li: endsItems('li'),
  dt: TERMS,
  dd: TERMS,
  rt: READINGS,
  rp: READINGS,
  button: { ended: new Set(['button']), within: new Set(SCOPES) },
  option: { ended: new Set(['option']), within: new Set(['select']) },
}
const END_PARAGRAPH = new Set(['ul', 'ol', 'li', 'pre', 'table', 'blockquote', 'hr', ...LINES, ...PARAGRAPHS])

/** Yields the rules of a start tag for closing open elements. */
export function* endsOf(name: string): Generator<Ends> {
  const ends = ENDS[name]
  if (ends !== undefined) yield ends
  if (END_PARAGRAPH.has(name)) yield PARAGRAPH_ENDS
}

const SECTIONS = ['thead', 'tbody', 'tfoot']
/**
 * Parts of a table, with the elements that may be open between them and the table; a part closes all other open
 * elements in the table.
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
