import { Refusal } from '../refusal.js'

export const CHANGES_GONE = new Refusal(
  'gone',
  'changes_gone',
  'So weit zurück sind die Änderungen nicht mehr bekannt; lies die ganze Liste neu',
  { field: 'changed_since' },
)
