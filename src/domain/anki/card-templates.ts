import type { StyleSheet } from '../markup/looks.js'
import { type CardTemplate, type NoteType, type ParsedTemplate, parseSides } from './note-type.js'
import { readStyleSheet, stylesIn } from './style-sheet.js'

export interface ReadTemplate extends CardTemplate {
  parsed: ParsedTemplate
  styles: StyleSheet | undefined
}

/** The templates of a package, each read when it is first wanted. */
export class CardTemplates {
  readonly #known = new Map<string, ReadTemplate>()

  /** The template of a note's card; undefined when there is none. */
  find(type: NoteType, ord: number): ReadTemplate | undefined {
    const template = type.isCloze ? type.templates[0] : type.templates.find((one) => one.ord === ord)
    if (template === undefined) return undefined
    const key = `${type.id}\x1f${template.ord}`
    let known = this.#known.get(key)
    if (known === undefined) {
      const css = [type.css, stylesIn(template.front), stylesIn(template.back)].join('\n')
      known = { ...template, parsed: parseSides(template), styles: readStyleSheet(css) }
      this.#known.set(key, known)
    }
    return known
  }
}
