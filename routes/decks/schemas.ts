import { Type } from '@sinclair/typebox'
import { nullable, Timestamp } from '../../src/http/schemas.js'

const commonFields = {
  id: Type.Integer({ examples: [1] }),
  slug: Type.String({ examples: ['git-grundlagen'] }),
  name: Type.String({ examples: ['Git Grundlagen'] }),
  description: Type.String({ examples: ['Das tägliche Handwerkszeug'] }),
  card_count: Type.Integer({ examples: [27] }),
}

export const DeckList = Type.Object({
  decks: Type.Array(
    Type.Object(
      {
        ...commonFields,
        reviewed: Type.Integer({ description: "Number of the caller's progress records.", examples: [12] }),
        correct: Type.Integer({ description: 'Number of those last rated `easy` or `medium`.', examples: [9] }),
        due: Type.Integer({ description: 'Number of those due today or earlier.', examples: [4] }),
      },
      { title: 'DeckSummary' },
    ),
  ),
})

export const DeckParams = Type.Object({ slug: Type.String({ examples: ['git-grundlagen'] }) })

export const DeckResponse = Type.Object({
  deck: Type.Object(
    {
      ...commonFields,
      sort_order: Type.Integer({ examples: [10] }),
      created_at: Timestamp,
      updated_at: Timestamp,
      archived_at: nullable(Timestamp),
    },
    { title: 'Deck' },
  ),
})

export const ExportText = Type.String({
  description: 'One line per card: question, answer, tag, level; separated by tabs.',
  examples: ['Was macht git stash?\tLegt Änderungen <b>beiseite</b>.\tsvc-training::Git Grundlagen\tgrundlagen\n'],
})
