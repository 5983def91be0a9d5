import { micromark } from 'micromark'
import { gfmTable, gfmTableHtml } from 'micromark-extension-gfm-table'
import { addressOf } from './address-of.js'
import { showPicture } from './pictures.js'
import { type Allowed, sanitize } from './sanitize.js'

export interface Heading {
  id: string
  level: number
  text: string
}

export interface RenderState {
  /** Number of headings found so far, by name */
  seen: Map<string, number>
  /** Whether the text has first-level headings. All its headings are then lowered by one level. */
  isLowered: boolean
}

export interface Rendered {
  content: DocumentFragment
  headings: Heading[]
}

const ALLOWED: Allowed = {
  elements: [
    ...['a', 'blockquote', 'br', 'code', 'del', 'em', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'hr', 'img', 'li', 'ol', 'p'],
    ...['pre', 'strong', 'table', 'tbody', 'td', 'th', 'thead', 'tr', 'ul'],
  ],
  attributes: ['href', 'title', 'src', 'alt', 'class', 'start', 'align'],
}

const LANGUAGE = /^language-\S+$/
const HEADINGS = 'h1, h2, h3, h4, h5, h6'
/**
 * Maximum length in characters of a piece that is rendered. A longer piece would block the page, so its source text is
 * shown.
 */
const MAX_PIECE = 50_000

/**
 * Renders Markdown as nodes. HTML in the source is shown as text, and a sanitizer removes all elements and attributes
 * that are not allowed. Heading ids start with `anchor`, so that several texts on a page do not share ids.
 */
export function renderMarkdown(source: string, anchor: string, state?: RenderState): Rendered {
  if (source.length > MAX_PIECE) return { content: showSource(source), headings: [] }
  const html = micromark(source, { extensions: [gfmTable()], htmlExtensions: [gfmTableHtml()] })
  const content = sanitize(html, ALLOWED)
  // Content may set the language of a code block, but must not use other classes.
  for (const code of content.querySelectorAll('[class]')) {
    if (!LANGUAGE.test(code.className)) code.removeAttribute('class')
  }
  for (const image of content.querySelectorAll('img')) if (!showPicture(image)) replaceExternalImage(image)
  for (const block of content.querySelectorAll('pre')) makeScrollable(block, 'Code')
  for (const table of content.querySelectorAll('table')) {
    const scroller = document.createElement('div')
    scroller.className = 'table'
    table.replaceWith(scroller)
    scroller.append(table)
    makeScrollable(scroller, 'Tabelle')
  }
  for (const link of content.querySelectorAll('a')) prepareLink(link, anchor)
  if (state?.isLowered ?? content.querySelector('h1') !== null) lowerHeadings(content)
  return { content, headings: nameHeadings(content, anchor, state?.seen ?? new Map()) }
}

function showSource(source: string): DocumentFragment {
  const content = document.createDocumentFragment()
  const block = document.createElement('pre')
  block.textContent = source
  makeScrollable(block, 'Text')
  content.append(block)
  return content
}

/**
 * Makes external links open in a new tab without referrer, and converts fragments and links between content files to
 * addresses of the app. The router does not handle any other link.
 */
function prepareLink(link: HTMLAnchorElement, anchor: string): void {
  const href = link.getAttribute('href') ?? ''
  if (href === '') {
    link.removeAttribute('href')
  } else if (href.startsWith('#')) {
    // Because of `<base href>`, a bare fragment would refer to the start page.
    link.href = `${location.pathname}${location.search}#${anchor}${link.hash.slice(1)}`
  } else if (isForeign(href)) {
    link.target = '_blank'
    link.rel = 'noopener noreferrer'
  } else {
    const address = addressOf(href, anchor)
    if (address === undefined) link.dataset.outside = ''
    else link.setAttribute('href', address)
  }
}

/**
 * Replaces an external image with a link, because loading the image would reveal the user to a foreign host. The
 * image has not been requested yet, because the nodes are in an inert document.
 */
function replaceExternalImage(image: HTMLImageElement): void {
  const src = image.getAttribute('src') ?? ''
  if (src !== '' && !isForeign(src)) return
  const words = image.alt || 'Bild'
  if (src === '' || image.closest('a') !== null) {
    image.replaceWith(words)
    return
  }
  const link = document.createElement('a')
  link.href = src
  link.append(words)
  image.replaceWith(link)
}

/** Returns whether the address is invalid, or an http or https address of another origin, such as `//host/path`. */
function isForeign(address: string): boolean {
  if (!URL.canParse(address, document.baseURI)) return true
  const { protocol, origin } = new URL(address, document.baseURI)
  return /^https?:$/.test(protocol) && origin !== location.origin
}

function makeScrollable(element: HTMLElement, label: string): void {
  element.tabIndex = 0
  // The role is `group` and not a landmark role, because a text may contain many such elements.
  element.setAttribute('role', 'group')
  element.setAttribute('aria-label', label)
}

function lowerHeadings(content: DocumentFragment): void {
  for (const heading of content.querySelectorAll(HEADINGS)) {
    const lower = document.createElement(`h${Math.min(Number(heading.tagName.slice(1)) + 1, 6)}`)
    lower.append(...heading.childNodes)
    heading.replaceWith(lower)
  }
}

function nameHeadings(content: DocumentFragment, anchor: string, seen: Map<string, number>): Heading[] {
  return [...content.querySelectorAll<HTMLElement>(HEADINGS)].map((heading) => {
    const text = heading.textContent ?? ''
    const name =
      text
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
        .replaceAll(/^-|-$/g, '') || 'abschnitt'
    heading.id = `${anchor}${nameOnce(name, seen)}`
    heading.tabIndex = -1
    return { id: heading.id, level: Number(heading.tagName.slice(1)), text }
  })
}

/** Returns a unique heading id: the name, with a number if it was used before. */
function nameOnce(name: string, seen: Map<string, number>): string {
  let times = seen.get(name) ?? 0
  let unique = name
  do {
    times += 1
    unique = times === 1 ? name : `${name}-${times}`
  } while (times > 1 && seen.has(unique))
  seen.set(name, times)
  if (unique !== name) seen.set(unique, 1)
  return unique
}
