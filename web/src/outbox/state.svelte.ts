import type { Entry } from '../storage/entry.js'
import type { Obstacle } from './verdict.js'

interface PostState {
  /** Ratings and undos that the service has not confirmed. */
  waiting: number
  /** Those among them that the browser cannot keep. */
  volatile: number
  /** What the service would not have. */
  refused: Entry[]
  obstacle: Obstacle | undefined
}

/** How the ratings of whoever is here are getting on; apart from what sends them, which comes after the page. */
export const post = $state<PostState>({ waiting: 0, volatile: 0, refused: [], obstacle: undefined })
