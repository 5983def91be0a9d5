import pLimit from 'p-limit'

/** For the batches of long downloads: other requests wait behind two of them at most, however many begin at once. */
export const readInTurn = pLimit(2)
