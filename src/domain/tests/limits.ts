/** Maximum number of questions of a published version, and of one attempt */
export const MAX_QUESTIONS = 10_000
export const MAX_DRAWN = 500
