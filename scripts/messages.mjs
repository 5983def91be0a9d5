// Brings the catalogues in `web/messages/` up to date with the sources of the web app: adds an empty translation for each
// new text, and removes the texts that are gone. `npm run messages -- pl` begins the catalogue of another language.
import { existsSync } from 'node:fs'
import {
  fileOf,
  findMessages,
  isTranslated,
  listCatalogues,
  readCatalogue,
  updateCatalogue,
  updateRefusals,
  writeCatalogue,
} from '../web/build/messages/catalogues.mjs'
import { findCodes } from '../web/build/messages/codes.mjs'

const messages = findMessages()
const codes = findCodes()
const [added] = process.argv.slice(2)
if (added !== undefined && !existsSync(fileOf(added))) writeCatalogue(added, {})
for (const language of listCatalogues()) {
  const catalogue = updateRefusals(updateCatalogue(language, readCatalogue(language), messages), codes)
  writeCatalogue(language, catalogue)
  const texts = Object.values(catalogue).flatMap((section) => Object.values(section))
  const empty = texts.filter((text) => !isTranslated(text))
  console.log(`${fileOf(language)}: ${texts.length} texts, ${empty.length} not translated`)
}
