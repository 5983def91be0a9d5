export { normalizeDeckName } from './deck-name.js'
export { guidOf, splitGuid } from './guid.js'
export { FALLBACK_LEVEL, Levels, levelOf, levelOfTags, ownLevelOf } from './level.js'
export { findMedia, type MediaList, parseMediaJson, parseMediaMessage } from './read/media-list.js'
export {
  type AnkiDeck,
  type CardTemplate,
  type Collection,
  type NoteType,
  type ParsedTemplate,
  parseSchema11,
  parseSides,
} from './read/note-type.js'
export { readNumber, readText } from './read/protobuf.js'
export { addsWords, renderCard, SKIPPED_OCCLUSION, splitAtAnswerLine, withoutQuestion } from './read/render-card.js'
export { ZstdFrames } from './read/zstd-frames.js'
export { ankiFileName, formatAnkiLine } from './text-export.js'
export { type Pictures, toFieldHtml } from './write/card-html.js'
export { FreeIds } from './write/free-ids.js'
export { PackageDecks, withoutRootDeck } from './write/package-decks.js'
export {
  type CardProgress,
  FIRST_DAY,
  type LearnerParameters,
  learnedCardRow,
  newCardRow,
  noteRow,
  type PackageRow,
  reviewRow,
} from './write/package-rows.js'
export { collectionRow, INDEXES, MODEL_ID, type PackageCollection, TABLES } from './write/package-schema.js'
