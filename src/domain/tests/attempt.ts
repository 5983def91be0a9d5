/** An option, item or gap as an attempt shows it. */
export interface Place {
  /** Random, of this attempt */
  id: string
  /** Id in the published question */
  of: string
}
