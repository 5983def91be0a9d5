import { parseTemplate, type TemplateNode } from './template.js'

export interface CardTemplate {
  name: string
  ord: number
  front: string
  back: string
}

export interface NoteType {
  id: string
  name: string
  /** Whether a note has a card for each gap instead of for each template */
  isCloze: boolean
  fields: string[]
  templates: CardTemplate[]
  css: string
}

export interface AnkiDeck {
  /** Full name with parent decks, such as `A::B` */
  name: string
  /** Whether this is a filtered deck, which temporarily contains cards of other decks */
  isFiltered: boolean
}

export interface Collection {
  noteTypes: Map<string, NoteType>
  decks: Map<string, AnkiDeck>
}

/** Both sides of a parsed template, or the reason in German why the template cannot be parsed */
export type ParsedTemplate = { front: TemplateNode[]; back: TemplateNode[] } | { reason: string }

/**
 * Parses both sides of a template.
 * @example parseSides({ name: 'A', ord: 0, front: '{{F', back: '' }) // { reason: 'einem {{ fehlt sein }}' }
 */
export function parseSides({ front, back }: CardTemplate): ParsedTemplate {
  try {
    return { front: parseTemplate(front), back: parseTemplate(back) }
  } catch (error) {
    return { reason: (error as Error).message }
  }
}

type Json = Record<string, unknown>

/**
 * Parses the columns `models` and `decks` of an Anki database with schema 11. Returns undefined unless both are JSON
 * objects of objects.
 * @example parseSchema11('{}', '{"1":{"name":"Netz"}}')?.decks.get('1') // { name: 'Netz', isFiltered: false }
 */
export function parseSchema11(models: string, decks: string): Collection | undefined {
  const modelsById = parseObject(models)
  const decksById = parseObject(decks)
  if (modelsById === undefined || decksById === undefined) return undefined
  const collection: Collection = { noteTypes: new Map(), decks: new Map() }
  for (const [id, model] of Object.entries(modelsById)) {
    if (!isObject(model)) return undefined
    collection.noteTypes.set(id, {
      id,
      name: textOf(model.name),
      isCloze: Number(model.type) === 1,
      fields: inOrder(model.flds).map(({ name }) => textOf(name)),
      templates: inOrder(model.tmpls).map(({ name, ord, qfmt, afmt }, index) => ({
        name: textOf(name),
        ord: Number(ord ?? index),
        front: textOf(qfmt),
        back: textOf(afmt),
      })),
      css: textOf(model.css),
    })
  }
  for (const [id, deck] of Object.entries(decksById)) {
    if (!isObject(deck)) return undefined
    collection.decks.set(id, { name: textOf(deck.name), isFiltered: Number(deck.dyn ?? 0) !== 0 })
  }
  return collection
}

function parseObject(json: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function inOrder(list: unknown): Json[] {
  if (!Array.isArray(list)) return []
  return list.filter(isObject).toSorted((a, b) => Number(a.ord ?? 0) - Number(b.ord ?? 0))
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
