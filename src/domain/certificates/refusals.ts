import { Refusal } from '../refusal.js'

export const CERTIFICATE_NOT_FOUND = new Refusal('not_found', 'proof_not_found', 'Diesen Nachweis gibt es nicht')
export const NO_CERTIFICATE_READER = new Refusal(
  'forbidden',
  'not_a_proof_reader',
  'Nachweise anderer sehen nur Administratoren, Prüfer und die verantwortliche Person der Aufgabe',
)
export const CERTIFICATE_REVOKED = new Refusal('conflict', 'proof_revoked', 'Dieser Nachweis ist schon widerrufen')
export const CERTIFICATE_REPLACED = new Refusal('conflict', 'proof_replaced', 'Dieser Nachweis ist schon ersetzt')
export const NAME_UNCHANGED = new Refusal(
  'conflict',
  'name_unchanged',
  'Der Name im Nachweis ist der des Kontos; ändere zuerst das Konto',
)
export const ACCOUNT_DELETED = new Refusal(
  'conflict',
  'account_deleted',
  'Das Konto gibt es nicht mehr, deshalb bleibt der Nachweis, wie er ist',
)
