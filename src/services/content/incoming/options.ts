/** How an upload is to be read. */
export interface ReadOptions {
  /** What its user calls it, such as `Wörter.csv`. */
  fileName: string
  /** Of cards whose row names none. */
  defaultDeck: string
  /** An existing folder for this upload alone; the pictures stay in it until the caller removes it. */
  workFolder: string
  /** The levels in the store: a tag that is one of them is the level of a card. */
  levels: readonly string[]
  /** For all cards, whatever their tags or columns say. */
  level?: string | undefined
  /** For all cards, whatever deck they are in. */
  deck?: string | undefined
  /** Bytes of all pictures together at most; 2 GiB when it is not said. */
  maxPictureBytes?: number | undefined
}
