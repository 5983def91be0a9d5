import { InvalidField, Refusal } from '../refusal.js'

export const ATTEMPT_NOT_FOUND = new Refusal('not_found', 'attempt_not_found', 'Versuch nicht gefunden')
export const SLOT_NOT_FOUND = new Refusal('not_found', 'slot_not_found', 'Frage nicht gefunden')
export const ASSIGNED_ONLY = new Refusal('forbidden', 'assigned_only', 'Der Test ist nur auf Zuweisung offen')
export const NOT_OPEN_YET = new Refusal('conflict', 'not_open_yet', 'Der Test ist noch nicht offen')
export const NO_LONGER_OPEN = new Refusal('conflict', 'no_longer_open', 'Der Test ist nicht mehr offen')
export const NO_ATTEMPT_LEFT = new Refusal('conflict', 'no_attempt_left', 'Kein Versuch mehr übrig')
export const NO_PUBLISHED_VERSION = new Refusal(
  'not_found',
  'no_published_version',
  'Diese Fassung des Tests gibt es nicht',
)
/**
 * An answer with a higher sequence number, or a different answer with the same number, is stored already, for example
 * from another device.
 */
export const NEWER_ANSWER = new Refusal('conflict', 'newer_answer', 'Neuere Antwort vorhanden', { field: 'seq' })
export const ATTEMPT_ENDED = new Refusal('gone', 'attempt_ended', 'Der Versuch ist beendet')
export const REVIEW_CLOSED = new Refusal('forbidden', 'review_closed', 'Die Auswertung ist noch nicht freigegeben')
/** The card of the question has been deleted, so a report about it could not be assigned to its editors. */
export const CARD_GONE = new Refusal('gone', 'card_gone', 'Diese Karte gibt es nicht mehr')
export const ONE_ANSWER_ONLY = new InvalidField(
  'answer',
  'muss genau eines von option_ids, text, item_ids und gaps enthalten',
  { code: 'one_answer_only' },
)

export class WaitForNext extends Refusal {
  /** @param from German date and time */
  constructor(from: string) {
    super('conflict', 'wait_for_next', `Nächster Versuch ab ${from}`)
  }
}
