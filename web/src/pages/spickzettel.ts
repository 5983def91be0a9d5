/** The pages of cheat sheets, in one chunk */
export { default as Sheet } from './spickzettel/sheet.svelte'
export { default as Spickzettel } from './spickzettel/spickzettel.svelte'
