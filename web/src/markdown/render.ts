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

/** For a text that is rendered in several pieces. */
export interface Whole {
  /** How often each name of a heading was given. */
  seen: Map<string, number>
  /** Whether headings of the first level are in it, so that all go down by one: the page has a heading of its own. */
  isLowered: boolean
}

export interface Rendered {
  content: DocumentFragment
  /** In the order of the text; for a table of contents. */
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
/** More in one piece would hold up the page for seconds: it is shown as it was written. */
const MAX_PIECE = 50_000

/**
 * Markdown as nodes. What is HTML in it stays text, and a second net lets only harmless elements pass. Headings get ids
 * that begin with `anchor`, so that several texts may stand on one page.
 */
export function renderMarkdown(source: string, anchor: string, whole?: Whole): Rendered {
  if (source.length > MAX_PIECE) return { content: asWritten(source), headings: [] }
  const html = micromark(source, { extensions: [gfmTable()], htmlExtensions: [gfmTableHtml()] })
  const content = sanitize(html, ALLOWED)
  // Content names a language, never one of our classes.
  for (const code of content.querySelectorAll('[class]')) {
    if (!LANGUAGE.test(code.className)) code.removeAttribute('class')
  }
  for (const image of content.querySelectorAll('img')) if (!showPicture(image)) keepToOurImages(image)
  for (const block of content.querySelectorAll('pre')) makeScrollable(block, 'Code')
  for (const table of content.querySelectorAll('table')) {
    const scroller = document.createElement('div')
    scroller.className = 'table'
    table.replaceWith(scroller)
    scroller.append(table)
    makeScrollable(scroller, 'Tabelle')
  }
  for (const link of content.querySelectorAll('a')) aim(link, anchor)
  if (whole?.isLowered ?? content.querySelector('h1') !== null) lowerHeadings(content)
  return { content, headings: nameHeadings(content, anchor, whole?.seen ?? new Map()) }
}

function asWritten(source: string): DocumentFragment {
  const content = document.createDocumentFragment()
  const block = document.createElement('pre')
  block.textContent = source
  makeScrollable(block, 'Text')
  content.append(block)
  return content
}

/** A link out of the app opens beside it and tells nobody where it was followed. One that was refused is none. */
function aim(link: HTMLAnchorElement, anchor: string): void {
  const href = link.getAttribute('href') ?? ''
  if (href === '') {
    link.removeAttribute('href')
  } else if (href.startsWith('#')) {
    // A fragment alone would lead to the start page, because of `<base href>`.
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
 * An image from elsewhere would tell its host who reads this, and when: in its place stand its words, as a link to it.
 * Until the nodes are put into the page nothing is asked for.
 */
function keepToOurImages(image: HTMLImageElement): void {
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

/** Of another host, be its scheme left out. */
function isForeign(address: string): boolean {
  if (!URL.canParse(address, document.baseURI)) return true
  const { protocol, origin } = new URL(address, document.baseURI)
  return /^https?:$/.test(protocol) && origin !== location.origin
}

/** Whoever scrolls by keyboard must be able to get there. */
function makeScrollable(element: HTMLElement, label: string): void {
  element.tabIndex = 0
  // No landmark: a text may hold many of them.
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

/** The name, with a number behind it when it was given before: to a heading, or as the numbered name of another. */
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
