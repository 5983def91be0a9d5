import { api } from '../../api/client.js'
import { isRefused } from '../../api/faults.js'
import type { Run } from './run.js'

/**
 * Rates the cards „Nochmal“, so that they come again today. Repeating it after a fault changes nothing twice: the
 * reviews have the names of this run.
 * @returns the reviews, in the order in which they were given; a card that is gone has none
 */
export async function putBack({ id, putBack: { tries } }: Run, cards: readonly number[]): Promise<number[]> {
  const reviews: number[] = []
  for (const card_id of cards) {
    const client_id = `quiz-${id}-${tries}-${card_id}`
    try {
      const answer = await api.post('/api/review', { body: { card_id, rating: 'again', client_id } })
      reviews.push(answer.review_id)
    } catch (error) {
      if (!isRefused(error, 404)) throw error
    }
  }
  return reviews
}

/** Takes them back, the last one first, as the service demands. */
export async function takeBack(reviews: readonly number[]): Promise<void> {
  for (const id of reviews.toReversed()) await api.delete('/api/review/{id}', { path: { id: String(id) } })
}
