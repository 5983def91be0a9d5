import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import MarkdownIt from 'markdown-it'
import type { Database as Sqlite } from 'node-sqlite3-wasm'
import { type DefaultTreeAdapterTypes, parse } from 'parse5'

/**
 * Reads every Anki package below a folder with the reader of the service and compares both sides of every card as text
 * with an independent rendering: raw rows by SQL, templates by the functions below, HTML by parse5.
 *
 *   npm --prefix lab run words -- FOLDER
 */
const DIST = '../../dist/src/services/content/upload/readers'
const { readFile } = await import(`${DIST}/read-file.js`)
const { Zip } = await import(`${DIST}/zip.js`)
const { unpackCollection } = await import(`${DIST}/anki-package.js`)
const { AnkiDatabase } = await import(`${DIST}/anki-database.js`)
const { Database } = createRequire(import.meta.url)('node-sqlite3-wasm') as { Database: typeof Sqlite }

const argument = process.argv[2]
if (argument === undefined) throw new Error('usage: npm --prefix lab run words -- FOLDER')
// npm runs this script in lab/, but the path is relative to the folder where npm was called.
const folder = path.resolve(process.env.INIT_CWD ?? '.', argument)
const markdown = new MarkdownIt('commonmark', { html: false }).enable('table')

type Node = DefaultTreeAdapterTypes.Node
const HIDDEN = new Set('script style template title noscript object canvas audio video rp'.split(' '))
/** Elements that do not separate words; all other elements do. */
const INLINE = new Set('a b big code em font i mark s small span strike strong sub sup tt u'.split(' '))

function textOf(node: Node, hidden: ReadonlySet<string>): string {
  if (node.nodeName === '#text') return (node as DefaultTreeAdapterTypes.TextNode).value
  if (HIDDEN.has(node.nodeName) || !('childNodes' in node)) return ' '
  if ('attrs' in node && node.attrs.some(({ value }) => value.split(' ').some((one) => hidden.has(one)))) return ' '
  const text = node.childNodes.map((child) => textOf(child, hidden)).join('')
  return INLINE.has(node.nodeName) ? text : ` ${text} `
}

/**
 * Returns the words of the visible text, separated by spaces. Keeps only letters and digits, in NFKD, because layout,
 * punctuation and compatibility forms such as superscripts may differ.
 */
function lettersOf(html: string, css = ''): string {
  const hidden = new Set([...css.matchAll(/[#.]([\w-]+)\s*\{[^}]*display:\s*none/g)].map(([, id]) => String(id)))
  const text = textOf(parse(`<!doctype html><body>${html}`), hidden).replaceAll(/\[sound:[^\]]*\]/g, ' ')
  return text
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

/** Returns the words of `text` that do not occur in `other`, whose spaces are ignored. */
function missingWords(text: string, other: string): string[] {
  const joined = other.replaceAll(' ', '')
  return text === '' ? [] : text.split(' ').filter((word) => !joined.includes(word))
}

const GAP = /\{\{c([\d,]+)::((?:(?!\{\{c[\d,]+::|\}\})[\s\S])*)\}\}/g

/**
 * Replaces the cloze deletions of a field, innermost first, with their text. On the front, deletions with `number` show
 * only their hint. Returns an empty string if no deletion has `number`.
 */
function fillGaps(field: string, number: number, isFront: boolean): string {
  if (![...field.matchAll(/\{\{c([\d,]+)::/g)].some(([, list]) => list?.split(',').map(Number).includes(number)))
    return ''
  let html = field
  for (let before = ''; before !== html; ) {
    before = html
    html = html.replaceAll(GAP, (_, list: string, inside: string) => {
      const [text = '', hint = ''] = inside.split(/::([\s\S]*)/)
      return isFront && list.split(',').map(Number).includes(number) ? ` ${hint} ` : text
    })
  }
  return html
}

/** Renders a template with the fields of a note. Only the filters `text`, `cloze` and `cloze-only` are applied. */
function render(template: string, fields: Map<string, string>, gap?: { number: number; isFront: boolean }): string {
  let html = template.replaceAll(/<!--[\s\S]*?-->/g, '')
  const section = /\{\{([#^])([^{}]+)\}\}((?:(?!\{\{[#^])[\s\S])*?)\{\{\/\2\}\}/g
  for (let before = ''; before !== html; ) {
    before = html
    html = html.replaceAll(section, (_, kind, name, inner) => {
      const value = fields.get(name.trim()) ?? (name.trim() === `c${gap?.number}` ? 'filled' : '')
      const isFilled = value.replaceAll(/<(?:br|\/?div)[^>]*>|&nbsp;|\s/gi, '') !== ''
      return isFilled === (kind === '#') ? inner : ''
    })
  }
  return html.replaceAll(/\{\{([^{}]*)\}\}/g, (_, tag: string) => {
    let field = fields.get(tag.split(':').at(-1)?.trim() ?? '') ?? ''
    if (gap !== undefined && /(?:^|:)cloze(?:-only)?:/.test(tag.trim())) {
      field = fillGaps(field, gap.number, gap.isFront)
    }
    return /(?:^|:)text:/.test(tag.trim()) ? field.replaceAll(/<[^>]*>/g, '') : field
  })
}

const counts = {
  packages: 0,
  refused: 0,
  notes: 0,
  cards: 0,
  imported: 0,
  leftOutSilently: 0,
  sides: 0,
  sidesWithGaps: 0,
  lostWarned: 0,
  lostSilently: 0,
}
const leftOut = new Map<string, number>()
const refusals = new Map<string, number>()
const lost: string[] = []
const work = mkdtempSync(path.join(tmpdir(), 'svc-training-words-'))

async function check(file: string): Promise<void> {
  const name = path.basename(file)
  const scratch = path.join(work, createHash('sha1').update(file).digest('hex'))
  mkdirSync(scratch)
  const options = { fileName: name, defaultDeck: name, workFolder: scratch, levels: [] }
  let incoming: Awaited<ReturnType<typeof readFile>>
  try {
    incoming = await readFile(file, options)
  } catch (error) {
    counts.refused++
    const { message } = error as Error
    refusals.set(message, (refusals.get(message) ?? 0) + 1)
    return
  }
  counts.packages++
  const stored = new Map<string, { question: string; answer: string }>()
  for (const deck of incoming.decks) {
    for (const card of deck.cards) stored.set(`${card.identity.guid}\x1f${card.identity.ord}`, card)
  }
  counts.imported += stored.size
  const raw = path.join(scratch, 'raw')
  mkdirSync(raw)
  const zip = await Zip.open(file)
  const unpacked = await unpackCollection(zip, raw)
  zip.close()
  // The reader of the service provides the note types; this script reads rows and texts independently.
  const reader = new AnkiDatabase(unpacked)
  const { noteTypes } = reader.readCollection()
  reader.close()
  const db = new Database(unpacked.path)
  const notes = db.all('select id, guid, mid, cast(flds as blob) as flds from notes') as Record<string, unknown>[]
  counts.notes += notes.length
  let explained = 0
  for (const { message } of incoming.warnings as { message: string }[]) {
    const [, many, reason] =
      /^(?:(\d+) Karten|Die Karte „.*“) (?:werden|wird) nicht übernommen: ([^(„]*)/s.exec(message) ?? []
    const [, coveredOnes = ''] = /^(\d+|Eine) Karten? verdeck(?:en|t) /.exec(message) ?? []
    const covered = coveredOnes === 'Eine' ? 1 : Number(coveredOnes)
    const number = reason === undefined ? covered : Number(many ?? 1)
    explained += number
    const text = reason?.trim() ?? 'Image Occlusion'
    if (number > 0) leftOut.set(text, (leftOut.get(text) ?? 0) + number)
  }
  // The reader lists at most 200 warnings. This script counts each unlisted warning as one card, although a warning may
  // concern several cards.
  const unlisted = incoming.warningsTotal - incoming.warnings.length
  if (unlisted > 0) leftOut.set('not listed', (leftOut.get('not listed') ?? 0) + unlisted)
  const byId = new Map(notes.map((note) => [String(note.id), note]))
  const warned = incoming.warnings.map(({ file, message }: { file: string; message: string }) => `${file} ${message}`)
  const rows = db.all('select nid, ord from cards') as Record<string, unknown>[]
  counts.leftOutSilently += Math.max(0, rows.length - stored.size - explained - unlisted)
  for (const { nid, ord } of rows) {
    counts.cards++
    const note = byId.get(String(nid))
    const type = noteTypes.get(String(note?.mid))
    const card = stored.get(`${note?.guid}\x1f${ord}`)
    // The warnings above already count the cards that were left out.
    if (note === undefined || type === undefined || card === undefined) continue
    const number = Number(ord)
    const template = type.isCloze
      ? type.templates[0]
      : type.templates.find((one: { ord: number }) => one.ord === number)
    if (template === undefined) continue
    const values = new TextDecoder()
      .decode(note.flds as Uint8Array)
      .replaceAll('\0', '')
      .split('\x1f')
    const fields = new Map<string, string>(type.fields.map((field: string, at: number) => [field, values[at] ?? '']))
    const shown = lettersOf(`${markdown.render(card.question)} ${markdown.render(card.answer)}`)
    for (const isFront of [true, false]) {
      counts.sides++
      if (type.isCloze) counts.sidesWithGaps++
      const gap = type.isCloze ? { number: number + 1, isFront } : undefined
      const words = missingWords(
        lettersOf(render(isFront ? template.front : template.back, fields, gap), type.css),
        shown,
      )
      if (words.length === 0) continue
      const isWarned = warned.some((warning: string) => warning.includes(String(note.guid)))
      counts[isWarned ? 'lostWarned' : 'lostSilently'] += words.length
      if (!isWarned) lost.push(`${name} ${note.guid}/${ord} (${type.name}): ${words.slice(0, 12).join(' ')}`)
    }
  }
  db.close()
}

try {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.(apkg|colpkg)$/i.test(file),
  )
  for (const file of files.sort()) await check(path.join(folder, file))
} finally {
  rmSync(work, { recursive: true })
}
for (const line of lost.slice(0, 200)) process.stdout.write(`${line}\n`)
for (const [reason, count] of leftOut) process.stdout.write(`left out ${count} cards: ${reason}\n`)
for (const [message, count] of refusals) process.stdout.write(`refused ${count} times: ${message}\n`)
process.stdout.write(`${JSON.stringify(counts)}\n`)
