import { countLines } from './decode-text.js'
import { hasControls } from './front-matter.js'
import type { Report } from './types.js'

/** What the comment below a card's heading says; a key is undefined when it is missing or faulty. */
export interface CardComment {
  id: string | undefined
  level: string | undefined
  aliases: string[]
}

const ID = /^[a-z0-9-]{1,64}$/
const KEYS = ['id', 'level', 'aliases']

/**
 * Reads `id: git-stash; level: grundlagen; aliases: [stash]`.
 * @param line where the text begins in the file
 */
export function parseCardComment(text: string, line: number, report: Report): CardComment {
  const values = new Map<string, { value: string; line: number }>()
  let end = line
  for (const entry of text.split(';')) {
    const entryLine = end + countLines(entry.slice(0, entry.length - entry.trimStart().length)) - 1
    end += countLines(entry) - 1
    if (entry.trim() === '') continue
    const colon = entry.indexOf(':')
    const key = entry.slice(0, Math.max(colon, 0)).trim()
    if (colon < 0) report(entryLine, 'Der Kommentar der Karte muss aus „schlüssel: wert“ bestehen, getrennt durch ;')
    else if (!KEYS.includes(key)) report(entryLine, `Unbekannter Schlüssel „${key}“ (erlaubt: ${KEYS.join(', ')})`)
    else if (values.has(key)) report(entryLine, `Der Schlüssel „${key}“ steht mehrfach im Kommentar`)
    else values.set(key, { value: entry.slice(colon + 1).trim(), line: entryLine })
  }

  const id = values.get('id')
  const level = values.get('level')
  const aliases = values.get('aliases')
  if (id === undefined) report(line, 'Der Karte fehlt die „id“')
  else if (!ID.test(id.value)) report(id.line, describeBadId(id.value))
  if (level === undefined) report(line, 'Der Karte fehlt das „level“')
  else if (level.value === '') report(level.line, '„level“ darf nicht leer sein')
  else if (hasControls(level.value)) {
    report(level.line, '„level“ darf keine Tabulatoren, Zeilenumbrüche oder Steuerzeichen enthalten')
  }
  return {
    id: id && ID.test(id.value) ? id.value : undefined,
    level: level?.value,
    aliases: aliases ? parseAliases(aliases.value, aliases.line, report) : [],
  }
}

function parseAliases(value: string, line: number, report: Report): string[] {
  if (!value.startsWith('[') || !value.endsWith(']')) {
    report(line, '„aliases“ muss eine Liste in eckigen Klammern sein, etwa [alte-id]')
    return []
  }
  const list = value.slice(1, -1).trim()
  if (list === '') return []
  const aliases = list.split(',').map((alias) => alias.trim())
  for (const alias of aliases) if (!ID.test(alias)) report(line, describeBadId(alias))
  return aliases.filter((alias) => ID.test(alias))
}

function describeBadId(id: string): string {
  return `„${id}“ ist keine gültige id: 1 bis 64 Zeichen aus a–z, 0–9 und Bindestrich`
}
