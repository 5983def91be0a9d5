/** A user for whom one variant of each group is selected */
export interface Learner {
  userId: number
  /** Languages (BCP 47), preferred first */
  languages: readonly string[]
}
