import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Plugin } from 'vite'
import {
  FINDING_SECTION,
  fileOf,
  findTranslation,
  isSource,
  REFUSAL_SECTION,
  readCatalogue,
} from './messages/catalogues.mjs'
import { translateManifest, translatePage } from './messages/page.mjs'
import { translateSource } from './messages/source.mjs'

/** Modules with the sentences by error code, which are German in the service, and the sections of the catalogue */
const FILLED: Readonly<Record<string, string>> = {
  'api/refusal-sentences.ts': REFUSAL_SECTION,
  'api/finding-sentence.ts': FINDING_SECTION,
}
const NO_SENTENCES = 'SENTENCES: Readonly<Record<string, string>> = {}'

function fillSentences(code: string, texts: ReturnType<typeof readCatalogue>[string] = {}): string {
  if (!code.includes(NO_SENTENCES)) throw new Error(`A module of sentences lacks ${NO_SENTENCES}`)
  // An empty sentence would hide the message of the service.
  const sentences = Object.entries(texts).filter(([, sentence]) => sentence !== '')
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
      const section = FILLED[file]
      const filled = section === undefined ? code : fillSentences(code, catalogue[section])
      return { code: translateSource(filled, file, (message) => findTranslation(catalogue, file, message)), map: null }
    },
    transformIndexHtml: { order: 'pre', handler: (html) => translatePage(html, language, catalogue) },
    writeBundle({ dir = '' }) {
      const file = path.join(dir, 'manifest.webmanifest')
      writeFileSync(file, translateManifest(readFileSync(file, 'utf8'), language, catalogue))
    },
  }
}
