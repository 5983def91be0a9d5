import type { Details } from '../refusal.js'

/** A fault in a list of users, with the line of the file or the position in the JSON list, counted from 1. */
export interface RowFault {
  line: number
  /** Name of the faulty field; null if the fault concerns no field or several fields */
  field: string | null
  /** Stable name in snake_case for programs */
  code: string
  /** Values of the message; null if it has none */
  details: Details | null
  message: string
}

/** A note on a value in a list of users that is allowed but often a mistake. */
export type RowHint = RowFault
