export { readGift } from './read-gift.js'
