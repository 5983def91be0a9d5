import { readFileSync } from 'node:fs'
import path from 'node:path'

/** @typedef {import('./catalogues.mjs').Catalogue} Catalogue */
/** Section of the texts of `index.html` and of the manifest */
export const PAGE = 'page'

const WEB = path.join(import.meta.dirname, '../..')
/** Texts of the page: its description, and those shown until the app has started */
const TEXTS = /(?<=<meta name="description" content=")[^"]+|(?<=<p class="[\w-]+">)[^<]+(?=<\/p>)/g

/** Returns the messages of the page and of the manifest. */
export function findPageMessages() {
  const page = readFileSync(path.join(WEB, 'index.html'), 'utf8')
  const manifest = JSON.parse(readFileSync(path.join(WEB, 'public/manifest.webmanifest'), 'utf8'))
  return new Set([...(page.match(TEXTS) ?? []).map(toMessage), manifest.description])
}

/** @param {string} html @param {string} language @param {Catalogue} catalogue */
export function translatePage(html, language, catalogue) {
  return html
    .replace('<html lang="de">', `<html lang="${language}">`)
    .replaceAll(TEXTS, (text) => String(catalogue[PAGE]?.[toMessage(text)] || text))
}

/** @param {string} json @param {string} language @param {Catalogue} catalogue */
export function translateManifest(json, language, catalogue) {
  const manifest = JSON.parse(json)
  const description = catalogue[PAGE]?.[manifest.description] || manifest.description
  return `${JSON.stringify({ ...manifest, description, lang: language }, null, 2)}\n`
}

/** @param {string} text */
const toMessage = (text) => text.replaceAll(/\s+/g, ' ').trim()
