export { checkPicture, MISSING_PICTURE, PICTURE_TOO_LARGE } from './check.js'
export {
  findPictureType,
  MAX_PICTURE_BYTES,
  mediaTarget,
  PICTURE_TYPES,
  type PictureExtension,
  parseMediaTarget,
  resolvePicture,
} from './files.js'
export { escapePictures, findPictures, type PlacedPicture, renamePictures } from './markdown.js'
export { measurePicture, type PictureSize } from './size.js'
