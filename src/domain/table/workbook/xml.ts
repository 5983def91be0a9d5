import { Parser } from 'htmlparser2'

/** Receives the elements of an XML part by their local names. */
export interface XmlHandler {
  open(name: string, attributes: Readonly<Record<string, string>>): void
  text?(data: string): void
  close?(name: string): void
}

/** Parses XML in chunks. Expands only predefined entities and character references, so the text never grows. */
export class XmlParser {
  readonly #parser: Parser

  constructor({ open, text, close }: XmlHandler) {
    this.#parser = new Parser(
      {
        onopentag: (name, attributes) => open(localName(name), attributes),
        ontext: text ?? (() => {}),
        onclosetag: (name) => close?.(localName(name)),
      },
      { xmlMode: true, decodeEntities: true },
    )
  }

  write(piece: string): void {
    this.#parser.write(piece)
  }

  end(): void {
    this.#parser.end()
  }
}

/** Removes the prefix that some programs write, as in `<x:row>`. */
function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

/** Returns the value of an attribute with a prefix, such as `r:id`. */
export function prefixed(attributes: Readonly<Record<string, string>>, name: string): string | undefined {
  const key = Object.keys(attributes).find((one) => one.endsWith(`:${name}`))
  return key === undefined ? undefined : attributes[key]
}

/** Returns whether an attribute of type `xsd:boolean` is true. */
export function isSet(value: string | undefined): boolean {
  return value === '1' || value === 'true'
}
