export { type ConvertLimits, QuestionCollector } from './convert.js'
export { markGap } from './texts.js'
export {
  EMPTY,
  type EmbeddedFile,
  type KeepPicture,
  type KeptPicture,
  NotAskable,
  type RawAnswer,
  type RawCommon,
  type RawGap,
  type RawQuestion,
  type RawText,
  type ReadOption,
  type ReadQuestion,
  type ReadQuestions,
  type RefusedQuestion,
  type TextFormat,
} from './types.js'
