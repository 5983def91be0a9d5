export { default as Sheet } from './spickzettel/sheet.svelte'
export { default as Spickzettel } from './spickzettel/spickzettel.svelte'
