/** How a learner wants to study. */
export interface ReviewSettings {
  /** Cards never seen before that a day may bring. */
  new_per_day: number
  /** The share of due cards that the learner wants to remember, 0.80 to 0.97. */
  desired_retention: number
  /** Days after which a card comes back at the latest. */
  maximum_interval: number
}

export const DEFAULT_SETTINGS: Readonly<ReviewSettings> = {
  new_per_day: 20,
  desired_retention: 0.9,
  maximum_interval: 36_500,
}
