/** Maximum number of questions of a published version */
export const MAX_QUESTIONS = 10_000
/** Maximum number of questions of an attempt */
export const MAX_DRAWN = 500
