import type { TableChoice } from '../../../../domain/table/index.js'

export interface ReadOptions {
  /** The user's file name, such as `Wörter.csv` */
  fileName: string
  /** Name of the deck for rows and questions without a deck */
  defaultDeck: string
  /** Path of the private folder for unpacked files and pictures, which the caller deletes */
  workFolder: string
  /** Existing levels, to recognise the tag that contains the level of a card */
  levels: readonly string[]
  /** Level for all cards; overrides the levels in the file */
  level?: string | undefined
  /** Deck for all cards; overrides the decks in the file */
  deck?: string | undefined
  /** Chosen columns and separator of a table */
  table?: TableChoice | undefined
  /** Maximum total size of all pictures in bytes; default: 2 GiB */
  maxPictureBytes?: number | undefined
}
