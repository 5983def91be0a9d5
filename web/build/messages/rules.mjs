/** Which strings of the sources are texts that a reader sees */

/** Elements and components that stand within a sentence */
const INLINE = new Set(['a', 'b', 'bdi', 'br', 'code', 'i', 'kbd', 'span', 'strong', 'time', 'Name'])
/** Elements whose content is no text */
const VERBATIM = new Set(['script', 'style', 'svg', 'pre'])
/** Attributes, properties and props that hold texts whatever they look like */
const SHOWN = new Set([
  'alt',
  'label',
  'placeholder',
  'title',
  'hint',
  'text',
  'short',
  'aria-label',
  'aria-valuetext',
  'data-label',
])
/** Attributes, properties and props that never hold texts */
const TECHNICAL = new Set(['autocomplete', 'class', 'name', 'src', 'headers', 'aria-keyshortcuts'])
/** Functions and methods whose arguments are no texts */
const TECHNICAL_CALLS = new Set([
  'addEventListener',
  'closest',
  'includes',
  'startsWith',
  'Set',
  'postMessage',
  'Error',
  'createIndex',
  'index',
])
/** Names of drafts and locks */
const NAMES = /^(?:new assignment|training |card \{?)/
/** Strings that look like texts and are none */
const VALUES = new Set([
  'recent login',
  'put off',
  'undo refused',
  'noopener noreferrer',
  'markdown piece',
  'one by one',
  'input, textarea, select',
])
/** Functions whose arguments after the first are the forms of a noun: singular, plural */
const PLURALS = new Set(['countOf', 'changes'])

/** @param {{ type: string, name?: string }} node */
export const isInline = ({ type, name }) =>
  (type === 'RegularElement' || type === 'Component') && INLINE.has(name ?? '')
/** @param {{ type: string, name?: string }} node */
export const isVerbatim = ({ type, name }) => type === 'RegularElement' && VERBATIM.has(name ?? '')
/** @param {string} name */
export const isShownAttribute = (name) => SHOWN.has(name)
/** @param {string} name */
export const isTechnical = (name) => TECHNICAL.has(name) || (name.startsWith('data-') && !SHOWN.has(name))
/** Properties of objects that never hold texts */
const TECHNICAL_PROPERTIES = new Set(['class', 'headers', 'item', 'queryKey'])
/** @param {string} name */
export const isTechnicalProperty = (name) => TECHNICAL_PROPERTIES.has(name)
/** @param {string} name */
export const isTechnicalCall = (name) => TECHNICAL_CALLS.has(name)
/** @param {string} name */
export const isPlural = (name) => PLURALS.has(name)
/** @param {string} text */
export const hasLetter = (text) => /\p{L}{2}|\p{Lu}|[„“]/u.test(text)

/**
 * Returns whether a comment marks a string as a text, for words that do not look like one.
 * @param {string} code that precedes the string
 */
export const isMarked = (code) => code.endsWith('/* text */ ')

/**
 * Returns whether a comment marks an expression as a value for programs, whose strings stay as they are.
 * @param {string} code that precedes the expression
 */
export const isValue = (code) => code.endsWith('/* value */ ')

/** German words that make even a short string in lower case a text, such as that of `noch ${days}` */
const GERMAN =
  /(?:^|\s)(?:ab|als|am|auf|aus|bis|das|der|des|die|durch|ein|eine|es|etwa|für|hat|heute|im|ist|je|jetzt|mindestens|mit|nach|nicht|noch|nur|oder|ohne|pro|seit|sind|um|und|vom|von|zu|zum|zur)(?:\s|$)/

/**
 * Returns whether a string of a script is a text: it begins with a capital, or has several words or letters beyond ASCII.
 * @param {string} text with a digit for each placeholder
 */
export function isText(text) {
  if (!hasLetter(text) || VALUES.has(text) || NAMES.test(text)) return false
  if (/[„“]/.test(text) || (/[–…·äöüßÄÖÜ]/.test(text) && /\p{L}/u.test(text))) return true
  if (/^[a-z]+[/:#?.=&-]/.test(text) || /[{}[\]<>\\]|^\S*@/.test(text) || /^\(|^[.#*]/.test(text)) return false
  const words = text.match(/\p{L}{2,}/gu) ?? []
  if (/[;=_|]/.test(text) && words.length < 4) return false
  if (/\s/.test(text.trim()) && GERMAN.test(text)) return true
  if (/\p{L}.* .*\p{L}/u.test(text)) return true
  return /^(?:\d+ )?[A-Z][a-z]+/.test(text) && !/[a-z][A-Z]|^[A-Z][a-z]+(?:-[A-Z][a-z]+)+$/.test(text)
}
