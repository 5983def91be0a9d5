/** What is wrong in a list of users: in which line of the file, or at which place of the JSON list, from 1 on. */
export interface RowFault {
  line: number
  /** Null when it is of no field, or of several. */
  field: string | null
  message: string
}
