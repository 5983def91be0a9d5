/** Nothing of what is inside is seen. */
export const HIDDEN = new Set(
  'script style title template iframe noembed noframes noscript object select datalist rp svg canvas applet'.split(' '),
)

export const VOID = new Set(
  'area base br col embed frame hr img input link meta param source track wbr basefont bgsound keygen'.split(' '),
)

/** They begin and end a line. */
export const LINES = new Set(
  (
    'address article aside body center dd details dialog dir div dl dt fieldset figcaption figure footer form header ' +
    'hgroup html legend main menu nav optgroup option search section summary caption'
  ).split(' '),
)

/** They do so when their looks say that they are blocks. */
export const WORDS = new Set('a abbr b bdi big cite em font i label mark q s small span strike strong u'.split(' '))

/** They begin and end a paragraph. */
export const PARAGRAPHS = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'])

export const BOLD = new Set(['b', 'strong', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'])
export const ITALIC = new Set(['i', 'em', 'cite', 'dfn', 'var'])
export const CODE = new Set(['code', 'tt', 'kbd', 'samp'])

/** Elements that end others by beginning, which elements those are, and what stands between them for good. */
const ENDS: Readonly<Record<string, { ended: string[]; within: string[] }>> = {
  li: { ended: ['li'], within: ['ul', 'ol', 'table'] },
  dt: { ended: ['dt', 'dd'], within: ['dl', 'table'] },
  dd: { ended: ['dt', 'dd'], within: ['dl', 'table'] },
  tr: { ended: ['tr', 'td', 'th'], within: ['table'] },
  td: { ended: ['td', 'th'], within: ['table', 'tr'] },
  th: { ended: ['td', 'th'], within: ['table', 'tr'] },
  thead: { ended: ['thead', 'tbody', 'tfoot', 'tr', 'td', 'th'], within: ['table'] },
  tbody: { ended: ['thead', 'tbody', 'tfoot', 'tr', 'td', 'th'], within: ['table'] },
  tfoot: { ended: ['thead', 'tbody', 'tfoot', 'tr', 'td', 'th'], within: ['table'] },
  rt: { ended: ['rt', 'rp'], within: ['ruby'] },
  rp: { ended: ['rt', 'rp'], within: ['ruby'] },
  option: { ended: ['option'], within: ['select'] },
}
const PARAGRAPH_ENDS = { ended: ['p'], within: ['td', 'th', 'li', 'table', 'blockquote'] }
const END_PARAGRAPH = new Set(['ul', 'ol', 'pre', 'table', 'blockquote', 'hr', ...LINES, ...PARAGRAPHS])

export function endsOf(name: string): { ended: string[]; within: string[] } | undefined {
  return ENDS[name] ?? (END_PARAGRAPH.has(name) ? PARAGRAPH_ENDS : undefined)
}
