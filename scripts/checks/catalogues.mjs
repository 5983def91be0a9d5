import {
  checkCatalogue,
  checkRefusals,
  findMessages,
  listCatalogues,
  readCatalogue,
} from '../../web/build/messages/catalogues.mjs'
import { findCodes } from '../../web/build/messages/codes.mjs'
import { OFFERED } from '../languages.mjs'

/**
 * Returns a fault for each text of the web app that a catalogue lacks, for each that the app does not show, for each
 * translation with other placeholders, and the same for the sentences of error codes. Of a language that the app does
 * not offer yet, only the form of existing translations is checked.
 */
export function checkCatalogues() {
  const messages = findMessages()
  const codes = findCodes()
  return listCatalogues().flatMap((language) => {
    const isComplete = OFFERED.includes(language)
    const catalogue = readCatalogue(language)
    const faults = checkCatalogue(language, catalogue, messages, { isComplete })
    return [...faults, ...checkRefusals(language, catalogue, codes, { isComplete })]
  })
}
