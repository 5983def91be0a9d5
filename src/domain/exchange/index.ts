export { categoryPath, namesOfCategory, withoutRootCategory } from './category.js'
export { type ConvertLimits, QuestionCollector } from './convert.js'
export { markGap } from './texts.js'
export {
  EMPTY,
  type EmbeddedFile,
  type KeepPicture,
  type KeptPicture,
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
  UnsupportedQuestion,
} from './types.js'
