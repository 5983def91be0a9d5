import MarkdownIt from 'markdown-it'
import { parseMediaTarget } from '../../pictures/index.js'

const MAX_NESTING = 100

// Uses the Markdown dialect of the web app: HTML tags are displayed as text.
const markdown = new MarkdownIt('commonmark', { html: false, maxNesting: MAX_NESTING }).enable('table')
const { escapeHtml } = markdown.utils
// Addresses are exported unchanged, so that a re-import yields the same addresses. markdown-it still refuses unsafe
// schemes.
markdown.normalizeLink = (address) => address

markdown.renderer.rules.image = (tokens, index, options, env, renderer) => {
  const token = tokens[index]
  const source = String(token?.attrGet('src') ?? '')
  const alt = renderer.renderInlineAsText(token?.children ?? [], options, env)
  const picture = parseMediaTarget(source)
  const { stored, shown } = env as Env
  if (picture === undefined || !stored.has(picture.sha)) return escapeHtml(alt)
  const name = pictureName(picture)
  shown.set(name, picture.sha)
  return `<img src="${name}" alt="${escapeHtml(alt)}">`
}

export interface Pictures {
  /** SHA-256 of the stored pictures, in hex */
  stored: ReadonlySet<string>
  /** Pictures that the cards use, as SHA-256 by name in the package */
  shown: Map<string, string>
}

interface Env extends Pictures {
  [key: string | symbol]: unknown
}

function pictureName({ sha, extension }: { sha: string; extension: string }): string {
  return `${sha}.${extension}`
}

/**
 * Converts a card's Markdown to the HTML of a note field. A picture that is not stored is replaced with its alt text.
 * @example toFieldHtml('**fett**', { stored: new Set(), shown: new Map() }) // '<strong>fett</strong>'
 */
export function toFieldHtml(text: string, pictures: Pictures): string {
  const env: Env = { ...pictures }
  const tokens = markdown.parse(text, env)
  // At the maximum depth the parser may drop text, so the Markdown source is exported instead.
  if (tokens.some(({ level }) => level >= MAX_NESTING - 1)) return guard(`<pre>${escapeHtml(text)}</pre>`)
  const isLine = tokens.length === 3 && tokens[0]?.type === 'paragraph_open'
  const shown = isLine ? tokens.slice(1, 2) : tokens
  return guard(markdown.renderer.render(shown, markdown.options, env).trim())
}

const CODE = /(<pre>.*?<\/pre>|<code[^>]*>.*?<\/code>)/s

/**
 * Escapes text that Anki would interpret: template fields, sounds, and LaTeX delimiters in code or without a closing
 * delimiter. Formulas outside code keep their delimiters, so that Anki renders the formulas.
 */
function guard(html: string): string {
  const parts = html.replaceAll('{{', '{&#123;').split(CODE)
  return parts.map((part, index) => (index % 2 === 1 ? guardMarks(part) : guardText(part))).join('')
}

function guardMarks(html: string): string {
  return html.replaceAll(/\[(?=sound:|anki:|latex\]|\$\$?\])/gi, '&#91;')
}

const FORMULA = /\[(latex|\$\$?)\]/gi
const ENDS: Readonly<Record<string, RegExp>> = {
  latex: /\[\/latex\]/gi,
  $: /\[\/\$\]/g,
  $$: /\[\/\$\$\]/g,
}

/**
 * Escapes sounds and opening LaTeX delimiters, except those of formulas with content: `[latex]…[/latex]`, `[$]…[/$]`
 * and `[$$]…[/$$]`.
 */
function guardText(html: string): string {
  if (!html.includes('[')) return html
  const unclosed = new Set<RegExp>()
  let guarded = ''
  let done = 0
  for (const { 0: opening, 1: name = '', index } of html.matchAll(FORMULA)) {
    const closing = ENDS[name.toLowerCase()]
    if (index < done || closing === undefined || unclosed.has(closing)) continue
    const start = index + opening.length
    closing.lastIndex = start
    const end = closing.exec(html)?.index
    if (end === undefined) unclosed.add(closing)
    else if (html.slice(start, end).trim() !== '') {
      guarded += guardMarks(html.slice(done, index)) + opening + guardMarks(html.slice(start, end))
      done = end
    }
  }
  return guarded + guardMarks(html.slice(done))
}
