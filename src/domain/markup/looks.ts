import { BOLD, CODE, ITALIC, LINES, PARAGRAPHS } from './elements.js'
import { linkTarget } from './escape.js'
import type { Style } from './inline.js'

/** What becomes of the lines of a text: one, as many as written, or so with the blanks they begin with. */
export type WhiteSpace = 'one' | 'lines' | 'all'

/** What of the looks of an element changes how its text is read. */
export interface Looks {
  isHidden?: boolean
  /** Begins and ends a line, whatever the element. */
  isBlock?: boolean
  whiteSpace?: WhiteSpace
  bold?: boolean
  italic?: boolean
}

/** The looks of an element by a sheet of styles. */
export type StyleSheet = (name: string, attributes: Readonly<Record<string, string>>) => Looks

const PROPERTY = /(?:^|[;\s])(display|white-space|font-weight|font-style)\s*:\s*([a-z0-9-]+)/gi

const BLOCK = /^(?:block|flow-root|flex|grid|table|list-item)$/

/** Reads declarations such as `font-weight: bold; color: red`. */
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

/** Of a sheet only what marks a word counts: blocks in bold are a matter of taste. */
export function merge(name: string, ofSheet: Looks, own: Looks): Looks {
  const { bold, italic, ...others } = ofSheet
  return LINES.has(name) || PARAGRAPHS.has(name) ? { ...others, ...own } : { ...ofSheet, ...own }
}

/** The style within an element. */
export function restyle(style: Style, name: string, href: string | undefined, { bold, italic }: Looks): Style {
  return {
    bold: BOLD.has(name) || (bold ?? style.bold),
    italic: ITALIC.has(name) || italic === true || style.italic,
    code: CODE.has(name) || style.code,
    href: name === 'a' ? linkTarget(href ?? '') : style.href,
  }
}
