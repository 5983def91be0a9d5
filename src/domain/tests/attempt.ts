/** An option, item or gap in an attempt. */
export interface ShownId {
  /** Random id in this attempt */
  id: string
  /** Id in the published question */
  of: string
}
