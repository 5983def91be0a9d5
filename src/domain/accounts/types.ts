/** A fault in a list of users, with the line of the file or the position in the JSON list, counted from 1. */
export interface RowFault {
  line: number
  /** Name of the faulty field; null if the fault concerns no field or several fields */
  field: string | null
  message: string
}

/** A note on a value in a list of users that is allowed but often a mistake. */
export type RowHint = RowFault
