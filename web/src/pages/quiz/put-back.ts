import { nameOfRating, openPost, sendRating, takeBack as takeRatingBack } from '../../outbox/post.svelte.js'

/**
 * Rates the cards „Nochmal“, so that they come again today. It waits for no network.
 * @returns the names of the ratings, in the order in which they were given
 */
export async function putBack(user: number, cards: readonly number[]): Promise<string[]> {
  // The app opens it for every page, but only a while after the page is there.
  openPost(user)
  const names: string[] = []
  for (const card_id of cards) {
    const name = nameOfRating()
    await sendRating(name, card_id, 'again')
    names.push(name)
  }
  return names
}

/** Takes them back, the last one first, as the service demands. */
export async function takeBack(names: readonly string[]): Promise<void> {
  for (const name of names.toReversed()) await takeRatingBack(name)
}
