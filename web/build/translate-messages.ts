import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Plugin } from 'vite'
import { fileOf, findTranslation, isSource, REFUSAL_SECTION, readCatalogue } from './messages/catalogues.mjs'
import { translateManifest, translatePage } from './messages/page.mjs'
import { translateSource } from './messages/source.mjs'

/** Module with the sentences of refusals, which are German in the service */
const REFUSALS = 'api/refusal-sentences.ts'
const NO_SENTENCES = 'SENTENCES: Readonly<Record<string, string>> = {}'

function fillSentences(code: string, catalogue: ReturnType<typeof readCatalogue>): string {
  if (!code.includes(NO_SENTENCES)) throw new Error(`${REFUSALS} lacks ${NO_SENTENCES}`)
  // An empty sentence would hide the message of the service.
  const sentences = Object.entries(catalogue[REFUSAL_SECTION] ?? {}).filter(([, sentence]) => sentence !== '')
  return code.replace(NO_SENTENCES, () => NO_SENTENCES.replace('{}', JSON.stringify(Object.fromEntries(sentences))))
}

/**
 * Builds the app in another language than German: replaces the texts of the sources by their translations before they
 * are compiled. A text without translation stays German.
 * @param sources folder of the sources
 */
export function translateMessages(language: string, sources: string): Plugin {
  const catalogue = readCatalogue(language)
  return {
    name: 'translate-messages',
    enforce: 'pre',
    buildStart() {
      this.addWatchFile(fileOf(language))
    },
    // A page that shows `docs/fragen.md` gets `docs/fragen.en.md`.
    resolveId(source, importer = '') {
      const [document = ''] = source.split('?', 1)
      if (!document.endsWith('.md')) return undefined
      const file = path.resolve(path.dirname(importer), document.replace(/\.md$/, `.${language}.md`))
      return existsSync(file) ? `${file}?raw` : undefined
    },
    transform(code, id) {
      const file = path.relative(sources, id).replaceAll(path.sep, '/')
      if (file.startsWith('..') || !isSource(file)) return undefined
      const filled = file === REFUSALS ? fillSentences(code, catalogue) : code
      return { code: translateSource(filled, file, (message) => findTranslation(catalogue, file, message)), map: null }
    },
    transformIndexHtml: { order: 'pre', handler: (html) => translatePage(html, language, catalogue) },
    writeBundle({ dir = '' }) {
      const file = path.join(dir, 'manifest.webmanifest')
      writeFileSync(file, translateManifest(readFileSync(file, 'utf8'), language, catalogue))
    },
  }
}
