import { Refusal } from '../refusal.js'

export const CONFIRMATION_NOT_FOUND = new Refusal(
  'not_found',
  'confirmation_not_found',
  'Dieser Link gilt nicht mehr. In deinem Konto kannst du dir einen neuen schicken lassen',
  { field: 'token' },
)
export const ADDRESS_NOT_OWN = new Refusal(
  'conflict',
  'address_not_own',
  'Diese Adresse hat die Verwaltung eingetragen; du kannst sie durch eine andere ersetzen',
)
/** The configuration has no mail server, or no `PUBLIC_URL`, which the links in mails need. */
export const MAIL_IS_OFF = new Refusal('conflict', 'mail_is_off', 'Dieser Dienst verschickt keine Mails')
