import { Tokenizer } from 'htmlparser2'
import { type Converted, type ConvertOptions, Document } from './document.js'

export type { Converted, ConvertOptions } from './document.js'

const ATTRIBUTES = new Set('src srcset data-src alt href class style start data colspan rowspan id'.split(' '))

/**
 * HTML, as browsers read it, as Markdown that shows the same text: nothing of the HTML is left. The work grows in a
 * straight line with the length; elements in each other more than a hundred deep count as one.
 */
export function convertHtml(html: string, options: ConvertOptions): Converted {
  const document = new Document(options)
  let name = ''
  let attributes: Record<string, string> = {}
  let attribute = ''
  let value = ''
  const finishTag = () => {
    document.open(name, attributes)
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
      onopentagend: finishTag,
      onselfclosingtag: finishTag,
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
