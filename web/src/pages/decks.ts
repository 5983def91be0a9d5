/** The pages of decks and cards, in one chunk */
export { default as Deck } from './decks/deck.svelte'
export { default as Decks } from './decks/decks.svelte'
export { default as Karte } from './karten/karte.svelte'
