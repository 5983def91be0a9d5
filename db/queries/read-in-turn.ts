import pLimit from 'p-limit'

/** Limits concurrent batches of long reads, such as exports, so that other requests wait behind at most two of them. */
export const readInTurn = pLimit(2)
