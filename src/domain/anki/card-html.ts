import MarkdownIt from 'markdown-it'
import { parseMediaTarget } from '../content/pictures.js'

const MAX_NESTING = 100

// What the web app shows of a card: HTML stays text.
const markdown = new MarkdownIt('commonmark', { html: false, maxNesting: MAX_NESTING }).enable('table')
const { escapeHtml } = markdown.utils
// Addresses go out as they are written, so that they come back so; which ones may, is asked elsewhere.
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

/** The pictures of a package. */
export interface Pictures {
  /** What there is, by SHA-256 in hex. */
  stored: ReadonlySet<string>
  /** What the cards show: SHA-256 by the name in the package. */
  shown: Map<string, string>
}

interface Env extends Pictures {
  [key: string | symbol]: unknown
}

/** What a picture is called among the files of a package, and in Anki's folder. */
export function pictureName({ sha, extension }: { sha: string; extension: string }): string {
  return `${sha}.${extension}`
}

/** The HTML of a card's text as a field of a note. A picture that is not stored is its description. */
export function toFieldHtml(text: string, pictures: Pictures): string {
  const env: Env = { ...pictures }
  const tokens = markdown.parse(text, env)
  // There the parser gives up, and leaves the rest out.
  if (tokens.some(({ level }) => level >= MAX_NESTING - 1)) return guard(`<pre>${escapeHtml(text)}</pre>`)
  const isLine = tokens.length === 3 && tokens[0]?.type === 'paragraph_open'
  const shown = isLine ? tokens.slice(1, 2) : tokens
  return guard(markdown.renderer.render(shown, markdown.options, env).trim())
}

/** What Anki would take for one of its own marks: a field of a template, sound, LaTeX. */
function guard(html: string): string {
  return html.replaceAll('{{', '{&#123;').replaceAll(/\[(?=sound:|anki:|latex\]|\$\$?\])/gi, '&#91;')
}
