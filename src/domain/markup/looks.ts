import { BOLD, CODE, ITALIC, LINES, PARAGRAPHS } from './elements.js'
import { linkTarget } from './escape.js'
import type { Style } from './inline.js'

/** White space handling: collapse all, keep line breaks only, or keep all */
export type WhiteSpace = 'one' | 'lines' | 'all'

/** CSS properties that influence the conversion. */
export interface Looks {
  isHidden?: boolean
  /** Whether the element starts and ends a line, regardless of its name */
  isBlock?: boolean
  whiteSpace?: WhiteSpace
  bold?: boolean
  italic?: boolean
}

/** A style sheet as a function that returns the CSS properties of an element */
export type StyleSheet = (name: string, attributes: Readonly<Record<string, string>>) => Looks

const PROPERTY = /(?:^|[;\s])(display|white-space|font-weight|font-style)\s*:\s*([a-z0-9-]+)/gi

const BLOCK = /^(?:block|flow-root|flex|grid|table|list-item)$/

/**
 * Parses CSS declarations such as `font-weight: bold; color: red`.
 * @example readLooks('font-weight: bold') // { bold: true }
 */
export function readLooks(declarations: string): Looks {
  const looks: Looks = {}
  for (const [, property = '', written = ''] of declarations.matchAll(PROPERTY)) {
    const value = written.toLowerCase()
    switch (property.toLowerCase()) {
      case 'display':
        looks.isHidden = value === 'none'
        looks.isBlock = BLOCK.test(value)
        break
      case 'white-space':
        looks.whiteSpace = value === 'pre-line' ? 'lines' : /^(?:pre|break-spaces)/.test(value) ? 'all' : 'one'
        break
      case 'font-weight':
        if (/^(?:bold|normal|[1-9]00)$/.test(value)) looks.bold = /^(?:bold|[6-9]00)$/.test(value)
        break
      default:
        looks.italic = /^(?:italic|oblique)$/.test(value)
    }
  }
  return looks
}

/**
 * Combines style sheet and inline style. Emphasis of the style sheet is ignored for blocks such as `div` and `p`,
 * because note types often set whole blocks in bold.
 */
export function merge(name: string, ofSheet: Looks, own: Looks): Looks {
  const { bold, italic, ...others } = ofSheet
  return LINES.has(name) || PARAGRAPHS.has(name) ? { ...others, ...own } : { ...ofSheet, ...own }
}

/** Returns the style inside of an element. */
export function restyle(style: Style, name: string, href: string | undefined, { bold, italic }: Looks): Style {
  return {
    bold: BOLD.has(name) || (bold ?? style.bold),
    italic: ITALIC.has(name) || italic === true || style.italic,
    code: CODE.has(name) || style.code,
    href: name === 'a' ? linkTarget(href ?? '') : style.href,
  }
}
