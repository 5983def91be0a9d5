import { Refusal } from '../refusal.js'

export const CHANGES_GONE = new Refusal(
  'gone',
  'changes_gone',
  'Nicht alle Änderungen seit diesem Zeitpunkt sind bekannt; lies die ganze Liste neu',
  { field: 'changed_since' },
)
