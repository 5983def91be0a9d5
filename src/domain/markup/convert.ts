import { Tokenizer } from 'htmlparser2'
import { type Converted, type ConvertOptions, Document } from './document.js'
import { WordLists } from './word-lists.js'

export type { Converted, ConvertOptions } from './document.js'

const ATTRIBUTES = new Set('src srcset data-src alt href class style start data colspan rowspan id'.split(' '))
const WORD_LIST = /mso-list/i

/**
 * Converts HTML to Markdown without HTML tags. Parses HTML much as browsers do, but in linear time: tags of elements
 * nested more than a hundred levels deep only break lines.
 * @example convertHtml('<b>fett</b>', { picture: () => undefined, maxLength: 100 }).markdown // '**fett**'
 */
export function convertHtml(html: string, options: ConvertOptions): Converted {
  const plain = new Document(options)
  const document = WORD_LIST.test(html) ? new WordLists(plain, options.styles) : plain
  let name = ''
  let attributes: Record<string, string> = {}
  let attribute = ''
  let value = ''
  const finishTag = (isClosed: boolean) => {
    document.open(name, attributes, isClosed)
    attributes = {}
  }
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      ontext: (start, end) => document.addText(html.slice(start, end)),
      ontextentity: (code) => document.addText(String.fromCodePoint(code)),
      onopentagname: (start, end) => {
        name = html.slice(start, end).toLowerCase()
        attributes = {}
      },
      onattribname: (start, end) => {
        attribute = end - start > 10 ? '' : html.slice(start, end).toLowerCase()
        value = ''
      },
      onattribdata: (start, end) => {
        if (ATTRIBUTES.has(attribute)) value += html.slice(start, end)
      },
      onattribentity: (code) => {
        if (ATTRIBUTES.has(attribute)) value += String.fromCodePoint(code)
      },
      onattribend: () => {
        if (ATTRIBUTES.has(attribute)) attributes[attribute] ??= value
      },
      onopentagend: () => finishTag(false),
      onselfclosingtag: () => finishTag(true),
      onclosetag: (start, end) => document.close(html.slice(start, end).toLowerCase()),
      oncdata: (start, end, offset) => document.addText(html.slice(start, end - offset)),
      oncomment: () => {},
      ondeclaration: () => {},
      onprocessinginstruction: () => {},
      onend: () => {},
    },
  )
  tokenizer.write(html)
  tokenizer.end()
  return document.finish()
}
