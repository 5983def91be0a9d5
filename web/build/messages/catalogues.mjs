import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { findPageMessages, PAGE } from './page.mjs'
import { placeholdersOf, translateSource } from './source.mjs'

/** Folder of the catalogues: `en.json` holds the English texts */
export const FOLDER = path.join(import.meta.dirname, '../../messages')
const SOURCES = path.join(import.meta.dirname, '../../src')
/** Section of the texts that several rooms use */
const SHARED = 'app'

/**
 * Sections of the sentences by error code, or by code and `kind` of its details, such as `foreign_file picture`. Each
 * value in braces is `label`, the field, or one of the details. What only lists of findings contain is in the second
 * section, which learners do not load.
 */
export const REFUSAL_SECTION = 'refusals'
export const FINDING_SECTION = 'findings'
/** Details for which a code has a separate sentence, such as `invalid_input maximum` */
const LIMITS = ['minimum', 'maximum']

/** @typedef {import('./source.mjs').Translation} Translation */
/** @typedef {import('./codes.mjs').Declared} Declared */
/** @typedef {Record<string, Record<string, Translation>>} Catalogue sections by folder, with translations by message */

/** Returns the languages that have a catalogue, without German. */
export function listCatalogues() {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => path.basename(file, '.json'))
    .sort()
}

/** @param {string} language @returns {Catalogue} */
export function readCatalogue(language) {
  return JSON.parse(readFileSync(fileOf(language), 'utf8'))
}

/** @param {string} language @param {Catalogue} catalogue */
export function writeCatalogue(language, catalogue) {
  writeFileSync(fileOf(language), `${JSON.stringify(catalogue, null, 2)}\n`)
}

/** @param {string} language */
export const fileOf = (language) => path.join(FOLDER, `${language}.json`)

/**
 * Returns the translation of a message in a file: that of the file's section, else of the shared ones. An empty
 * translation counts as none.
 * @param {Catalogue} catalogue
 * @param {string} file path below `web/src`
 * @param {string} message
 */
export function findTranslation(catalogue, file, message) {
  return sectionsOf(file)
    .map((section) => catalogue[section]?.[message])
    .find((translation) => isTranslated(translation))
}

/** Returns whether a translation has all of its texts. @param {Translation | undefined} translation */
export function isTranslated(translation) {
  if (translation === undefined) return false
  return typeof translation === 'string' ? translation !== '' : !Object.values(translation).includes('')
}

/** Returns the messages of the app with the files that show them. @returns {Map<string, Set<string>>} */
export function findMessages() {
  const messages = new Map([...findPageMessages()].map((message) => [message, new Set([PAGE])]))
  for (const file of listSources()) {
    translateSource(readFileSync(path.join(SOURCES, file), 'utf8'), file, (message) => {
      messages.set(message, (messages.get(message) ?? new Set()).add(file))
      return undefined
    })
  }
  return messages
}

/**
 * Returns the catalogue for these messages: with an empty translation for each that is new, and without those that are
 * not used. A section holds the messages that only its files show.
 * @param {string} language
 * @param {Catalogue} catalogue
 * @param {Map<string, Set<string>>} messages
 */
export function updateCatalogue(language, catalogue, messages) {
  /** @type {Catalogue} */
  const updated = {}
  for (const [message, files] of messages) {
    const sections = new Set([...files].flatMap(sectionsOf))
    const kept = [...sections].filter((section) => catalogue[section]?.[message] !== undefined)
    const isComplete = [...files].every((file) => sectionsOf(file).some((section) => kept.includes(section)))
    if (!isComplete) kept.splice(0, kept.length, commonSection([...files]))
    for (const section of kept) {
      const former = Object.values(catalogue).find((texts) => texts[message] !== undefined)?.[message]
      updated[section] ??= {}
      updated[section][message] = catalogue[section]?.[message] ?? former ?? emptyTranslation(language, message)
    }
  }
  for (const section of [REFUSAL_SECTION, FINDING_SECTION]) {
    if (catalogue[section] !== undefined) updated[section] = catalogue[section]
  }
  return sorted(updated)
}

/**
 * Returns the catalogue with an empty sentence for each error code that is new, and without those of codes that are gone.
 * @param {Catalogue} catalogue
 * @param {Declared} declared error codes of the service
 */
export function updateRefusals(catalogue, { codes }) {
  const keep = (/** @type {string} */ section) =>
    Object.fromEntries(Object.entries(catalogue[section] ?? {}).filter(([key]) => codes.has(codeIn(key))))
  const findings = keep(FINDING_SECTION)
  const rest = [...codes.keys()].filter((code) => findings[code] === undefined)
  const refusals = { ...Object.fromEntries(rest.map((code) => [code, ''])), ...keep(REFUSAL_SECTION) }
  return sorted({ ...catalogue, [REFUSAL_SECTION]: refusals, [FINDING_SECTION]: findings })
}

/** Returns the code of a sentence. @param {string} key code, or code and kind */
const codeIn = (key) => key.split(' ', 1)[0] ?? ''

/**
 * Returns what is wrong with a catalogue.
 * @param {string} language
 * @param {Catalogue} catalogue
 * @param {Map<string, Set<string>>} messages
 * @param {{ isComplete: boolean }} options whether each message needs a translation
 */
export function checkCatalogue(language, catalogue, messages, { isComplete }) {
  const name = `web/messages/${language}.json`
  const faults = []
  for (const [message, files] of isComplete ? messages : []) {
    for (const file of files) {
      const found = sectionsOf(file).some((section) => catalogue[section]?.[message] !== undefined)
      if (!found) faults.push(`${name}: lacks ${JSON.stringify(message)} of web/src/${file}; run npm run messages`)
    }
  }
  for (const [section, texts] of Object.entries(catalogue)) {
    if (section === REFUSAL_SECTION || section === FINDING_SECTION) continue
    for (const [message, translation] of Object.entries(texts)) {
      const isUsed = [...(messages.get(message) ?? [])].some((file) => sectionsOf(file).includes(section))
      if (isComplete && !isUsed)
        faults.push(`${name}: ${JSON.stringify(message)} in ${section} is not used; run npm run messages`)
      const fault = faultOf(language, message, translation, isComplete)
      if (fault !== undefined) faults.push(`${name}: ${JSON.stringify(message)} ${fault}`)
    }
  }
  return faults
}

/**
 * Returns a fault for each error code of the service without a sentence, for each sentence of a code or kind that the
 * service does not have, and for each sentence with a placeholder that is not among the details of its code.
 * @param {string} language
 * @param {Catalogue} catalogue
 * @param {Declared} declared
 * @param {{ isComplete: boolean }} options whether each code needs a sentence
 */
export function checkRefusals(language, catalogue, { codes, kinds }, { isComplete }) {
  const name = `web/messages/${language}.json`
  const sentences = { ...catalogue[REFUSAL_SECTION], ...catalogue[FINDING_SECTION] }
  const missing = isComplete ? [...codes.keys()].filter((code) => !sentences[code]) : []
  const faults = missing.map((code) => `${name}: lacks a sentence for the error code ${code}`)
  for (const [key, sentence] of Object.entries(sentences)) {
    const [code = '', kind] = key.split(' ')
    const details = codes.get(code)
    const isUsed = kind === undefined || details?.has('kind') || kinds.has(kind) || LIMITS.includes(kind)
    if (details === undefined || !isUsed) {
      faults.push(`${name}: the service has no error code ${JSON.stringify(key)}; run npm run messages`)
      continue
    }
    const known = new Set(['label', ...details, ...(kinds.get(kind ?? '') ?? [])])
    const unknown = placeholdersOf(String(sentence)).filter((place) => !known.has(place.slice(1, -1)))
    if (unknown.length > 0) {
      const list = [...known].map((one) => `{${one}}`).join(' ')
      faults.push(`${name}: ${unknown.join(' ')} of ${JSON.stringify(key)} is none of its details: ${list}`)
    }
  }
  return faults
}

/** @param {string} language @param {string} message @param {Translation} translation @param {boolean} isComplete */
function faultOf(language, message, translation, isComplete) {
  const forms = message.split(' || ')
  if (forms.length > 1 && typeof translation === 'object') {
    const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions()
    const missing = pluralCategories.filter((category) => translation[category] === undefined)
    const others = Object.keys(translation).filter(
      (category) => !pluralCategories.includes(/** @type {any} */ (category)),
    )
    if (missing.length + others.length > 0) return `needs the forms ${pluralCategories.join(', ')}`
    if (isComplete && Object.values(translation).includes('')) return 'has an empty form'
    const [expected, ...actual] = [forms.at(-1) ?? '', ...Object.values(translation)].map((text) =>
      placeholdersOf(text).join(' '),
    )
    const isEqual = actual.every((names, at) => Object.values(translation)[at] === '' || names === expected)
    return isEqual ? undefined : `needs the placeholders ${expected || '(none)'} in each form`
  }
  if (typeof translation !== 'string') return 'needs one text'
  if (translation === '') return isComplete ? 'is not translated' : undefined
  const [expected, actual] = [message, translation].map((text) => placeholdersOf(text).join(' '))
  return expected === actual
    ? undefined
    : `needs the placeholders ${expected || '(none)'}, but has ${actual || '(none)'}`
}

function listSources() {
  return readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll(path.sep, '/'))
    .filter((file) => isSource(file))
    .sort()
}

/** Returns whether a file below `web/src` has texts of the app; `/teile` exists during development only. @param {string} file */
export function isSource(file) {
  return /\.(?:svelte|ts)$/.test(file) && !file.endsWith('.d.ts') && !file.startsWith('pages/teile/')
}

/** @param {string} file */
function roomOf(file) {
  const [area = '', room = ''] = file.split('/')
  return area === 'pages' ? `pages/${room.replace(/\.\w+$/, '')}` : area
}

/** Returns the sections in which the translations of a file may stand, its own first. @param {string} file */
function sectionsOf(file) {
  return [roomOf(file), SHARED]
}

/** @param {string[]} files */
function commonSection(files) {
  const rooms = new Set(files.map(roomOf))
  return rooms.size === 1 ? /** @type {string} */ ([...rooms][0]) : SHARED
}

/** @param {string} language @param {string} message @returns {Translation} */
function emptyTranslation(language, message) {
  if (!message.includes(' || ')) return ''
  const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions()
  return Object.fromEntries(pluralCategories.map((category) => [category, '']))
}

/** @param {Catalogue} catalogue @returns {Catalogue} */
function sorted(catalogue) {
  const sort = (/** @type {any} */ texts) =>
    Object.fromEntries(Object.entries(texts).sort(([a], [b]) => (a < b ? -1 : 1)))
  return sort(Object.fromEntries(Object.entries(catalogue).map(([section, texts]) => [section, sort(texts)])))
}
