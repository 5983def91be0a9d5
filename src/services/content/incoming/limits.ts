const MEGABYTE = 2 ** 20

/** What an upload may hold; more is refused. All sizes are counted while inflating, whatever the file says of itself. */
export const LIMITS = {
  entries: 20_000,
  /** Of a package's collection, after each of its two steps of decompression. */
  collectionBytes: 256 * MEGABYTE,
  mediaListBytes: 8 * MEGABYTE,
  /** Of all files of an archive together. */
  archiveBytes: 256 * MEGABYTE,
  tableBytes: 128 * MEGABYTE,
  cards: 100_000,
  fieldLength: MEGABYTE,
  /** Characters of a side. */
  cardLength: 65_536,
  /** Characters of all cards together, which stay in memory. */
  totalLength: 64 * MEGABYTE,
  /** Of all pictures together, unless the caller knows better. */
  pictureBytes: 2_048 * MEGABYTE,
} as const
