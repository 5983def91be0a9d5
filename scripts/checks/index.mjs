// Checks files of the repository that neither the linter nor the compiler checks. Needs no build. Prints each fault and
// exits with 1 if there is one.
import path from 'node:path'
import { checkCatalogues } from './catalogues.mjs'
import { checkDecisions, checkPaths, checkPrivacy, checkTranslations } from './documents.mjs'
import { checkLayers } from './layers.mjs'
import { checkMessages } from './messages.mjs'

process.chdir(path.join(import.meta.dirname, '../..'))
const faults = [
  checkLayers,
  checkMessages,
  checkCatalogues,
  checkPaths,
  checkDecisions,
  checkPrivacy,
  checkTranslations,
].flatMap((check) => check())
for (const fault of faults) process.stderr.write(`${fault}\n`)
process.exitCode = faults.length > 0 ? 1 : 0
