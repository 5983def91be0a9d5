/** Options for reading an upload. */
export interface ReadOptions {
  /** The user's file name, such as `Wörter.csv` */
  fileName: string
  /** Deck of rows that name none */
  defaultDeck: string
  /** Private folder of the upload; its pictures stay until the caller removes it. */
  workFolder: string
  /** Existing levels: a tag that equals one is the card's level. */
  levels: readonly string[]
  /** Overrides the level of every card */
  level?: string | undefined
  /** Overrides the deck of every card */
  deck?: string | undefined
  /** Maximum total size of all pictures in bytes; default 2 GiB */
  maxPictureBytes?: number | undefined
}
