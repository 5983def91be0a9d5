import { type CssProperties, parseCssProperties, type StyleSheet } from './css-properties.js'

const MAX_LENGTH = 2 ** 18
const MAX_CLASSES = 20
const SIMPLE = /^(?:\.card\s+)?([a-z][a-z0-9]*)?(?:([.#])([\w-]+))?$/i
const LAST_STEP = /\s\S*$/
const READ = /display|white-space|font-weight|font-style|mso-list/i

/**
 * Parses the first 262,144 characters of the style sheet of a note type. Supports selectors of an element, of a class
 * or id, and of an element with a class or id, optionally after `.card`. For other selectors, such as `.a .b`, reads
 * only a block display, and applies it to the class or id at the end of the selector. Returns undefined if no rule is
 * relevant.
 * @example readStyleSheet('.wichtig { font-weight: bold }')?.('span', { class: 'wichtig' }) // { bold: true }
 */
export function readStyleSheet(css: string): StyleSheet | undefined {
  const rules = new Map<string, CssProperties>()
  const add = (selector: string, properties: CssProperties): boolean => {
    const [match, name = '', sign = '', word = ''] = SIMPLE.exec(selector) ?? []
    if (!match) return false
    const key = `${name.toLowerCase()}${sign}${word}`
    rules.set(key, { ...rules.get(key), ...properties })
    return true
  }
  for (const { selectors, declarations } of readRules(css.slice(0, MAX_LENGTH))) {
    if (!READ.test(declarations)) continue
    const properties = parseCssProperties(declarations)
    for (const selector of selectors.split(',')) {
      const path = selector.trim()
      if (add(path, properties) || !properties.isBlock) continue
      // Block display only breaks lines, so applying it to too many elements hides nothing.
      const step = path.slice(path.search(LAST_STEP) + 1)
      if (/[.#]/.test(step)) add(step, { isBlock: true })
    }
  }
  if (rules.size === 0) return undefined
  return (name, attributes) => {
    const properties: CssProperties = { ...rules.get(name) }
    const classes = attributes.class?.trim().split(/\s+/, MAX_CLASSES) ?? []
    for (const word of classes) Object.assign(properties, rules.get(`.${word}`))
    for (const word of classes) Object.assign(properties, rules.get(`${name}.${word}`))
    if (attributes.id !== undefined)
      Object.assign(properties, rules.get(`#${attributes.id}`), rules.get(`${name}#${attributes.id}`))
    return properties
  }
}

/**
 * Returns the content of the style elements in a template.
 * @example stylesIn('<style>b { color: red }</style>') // 'b { color: red }\n'
 */
export function stylesIn(template: string): string {
  let css = ''
  for (let at = nextTag(template, 0); at >= 0; at = nextTag(template, at)) {
    const open = template.indexOf('>', at)
    const close = template.indexOf('</', open)
    if (open < 0 || close < 0) return css
    css += `${template.slice(open + 1, close)}\n`
    at = close
  }
  return css
}

const STYLE = /<style\b/gi

function nextTag(template: string, from: number): number {
  STYLE.lastIndex = from
  return STYLE.exec(template)?.index ?? -1
}

/** Yields the top-level rules, without `@media` and similar blocks. */
function* readRules(css: string): Generator<{ selectors: string; declarations: string }> {
  const text = withoutComments(css)
  let done = 0
  for (let open = text.indexOf('{'); open >= 0; open = text.indexOf('{', done)) {
    const close = endOfBlock(text, open)
    const before = text.slice(done, open)
    // Programs wrap the sheet in an HTML comment, which CSS ignores.
    const selectors = before.slice(before.lastIndexOf(';') + 1).replace('<!--', '')
    const inner = text.slice(open + 1, close)
    const nested = inner.indexOf('{')
    const declarations = nested < 0 ? inner : inner.slice(0, inner.lastIndexOf(';', nested) + 1)
    if (!selectors.trim().startsWith('@')) yield { selectors, declarations }
    done = close + 1
  }
}

/** Returns the index of the brace that closes the block at `open`; the length of the text if it is not closed. */
function endOfBlock(text: string, open: number): number {
  BRACE.lastIndex = open
  let depth = 0
  for (let match = BRACE.exec(text); match !== null; match = BRACE.exec(text)) {
    depth += match[0] === '{' ? 1 : -1
    if (depth === 0) return match.index
  }
  return text.length
}

const BRACE = /[{}]/g

function withoutComments(css: string): string {
  let text = ''
  let done = 0
  for (let open = css.indexOf('/*'); open >= 0; open = css.indexOf('/*', done)) {
    text += css.slice(done, open)
    const close = css.indexOf('*/', open + 2)
    if (close < 0) return text
    done = close + 2
  }
  return text + css.slice(done)
}
