import { BLOCK_ELEMENTS, BOLD, CODE, ITALIC, PARAGRAPHS } from './elements.js'
import { linkTarget } from './escape.js'
import type { Style } from './inline.js'

/** Handling of white space: collapse all, keep only line breaks, or keep all */
export type WhiteSpace = 'one' | 'lines' | 'all'

export interface CssProperties {
  isHidden?: boolean
  /** Whether `display` makes the element a block */
  isBlock?: boolean
  whiteSpace?: WhiteSpace
  bold?: boolean
  italic?: boolean
  /** List of Word, and level from 1 to 9; undefined if the paragraph is in no list */
  list?: { list: string; level: number } | undefined
  /** Whether the element contains the bullet or number of an item of Word */
  isListMarker?: boolean
}

export type StyleSheet = (name: string, attributes: Readonly<Record<string, string>>) => CssProperties

const PROPERTY = /(?:^|[;\s])(display|white-space|font-weight|font-style)\s*:\s*([a-z0-9-]+)/gi

/** `mso-list:l0 level1 lfo1` for an item of Word, `mso-list:Ignore` for its bullet or number, `mso-list:none` */
const WORD_LIST = /(?:^|[;\s])mso-list\s*:\s*(?:(l\d+)\s+level([1-9])\s+(lfo\d+)|(ignore)|none)/i

const BLOCK = /^(?:block|flow-root|flex|grid|table|list-item)$/

/**
 * Parses CSS declarations such as `font-weight: bold; color: red`.
 * @example parseCssProperties('font-weight: bold') // { bold: true }
 */
export function parseCssProperties(declarations: string): CssProperties {
  const properties: CssProperties = {}
  for (const [, property = '', written = ''] of declarations.matchAll(PROPERTY)) {
    const value = written.toLowerCase()
    switch (property.toLowerCase()) {
      case 'display':
        properties.isHidden = value === 'none'
        properties.isBlock = BLOCK.test(value)
        break
      case 'white-space':
        properties.whiteSpace = value === 'pre-line' ? 'lines' : /^(?:pre|break-spaces)/.test(value) ? 'all' : 'one'
        break
      case 'font-weight':
        if (/^(?:bold|normal|[1-9]00)$/.test(value)) properties.bold = /^(?:bold|[6-9]00)$/.test(value)
        break
      default:
        properties.italic = /^(?:italic|oblique)$/.test(value)
    }
  }
  const ofWord = WORD_LIST.exec(declarations)
  if (ofWord !== null) {
    const [, list, level, format, marker] = ofWord
    if (marker !== undefined) properties.isListMarker = true
    else properties.list = list === undefined ? undefined : { list: `${list} ${format}`, level: Number(level) }
  }
  return properties
}

/** Maximum length of an inline style that is read */
const MAX_STYLE = 1_000

/** Returns the properties of an element from its inline style and the style sheet. */
export function propertiesOf(
  name: string,
  attributes: Readonly<Record<string, string>>,
  styles: StyleSheet | undefined,
): CssProperties {
  const own = attributes.style === undefined ? {} : parseCssProperties(attributes.style.slice(0, MAX_STYLE))
  return styles === undefined ? own : merge(name, styles(name, attributes), own)
}

/**
 * Combines style sheet and inline style. Emphasis of the style sheet is ignored for blocks such as `div` and `p`,
 * because note types often set whole blocks in bold.
 */
function merge(name: string, ofSheet: CssProperties, own: CssProperties): CssProperties {
  const { bold, italic, ...others } = ofSheet
  return BLOCK_ELEMENTS.has(name) || PARAGRAPHS.has(name) ? { ...others, ...own } : { ...ofSheet, ...own }
}

export function restyle(style: Style, name: string, href: string | undefined, { bold, italic }: CssProperties): Style {
  return {
    bold: BOLD.has(name) || (bold ?? style.bold),
    italic: ITALIC.has(name) || italic === true || style.italic,
    code: CODE.has(name) || style.code,
    href: name === 'a' ? linkTarget(href ?? '') : style.href,
  }
}
