/** Maximum difference between the clocks of provider and service */
export const SKEW_SECONDS = 60
