import { Type } from '@sinclair/typebox'
import { type DeckVisibility, VISIBILITIES } from '../../src/domain/content/deck-visibility.js'
import { HIGHEST_RETENTION, LOWEST_RETENTION } from '../../src/domain/review/review.js'
import { id } from '../../src/http/query.js'
import { BasedOn, EDITED_GROUP, FormClientId, GroupEdit, nullable, Timestamp } from '../../src/http/schemas.js'
import { OwnerSource } from './sheet-schemas.js'

const RETENTION = {
  minimum: LOWEST_RETENTION,
  maximum: HIGHEST_RETENTION,
  description: 'Desired retention for learners who have not chosen one; null if their general setting applies.',
  examples: [0.95],
}

const EditedDeck = Type.Object(
  {
    slug: Type.String({ examples: ['git'] }),
    name: Type.String(),
    description: Type.String(),
    sort_order: Type.Integer(),
    archived_at: nullable(Timestamp),
    tests_only: Type.Boolean({ description: 'Whether it is a pool of test questions, which only editors see.' }),
    ...EDITED_GROUP,
    desired_retention: nullable(Type.Number(RETENTION)),
    cards: Type.Integer({ description: 'Number of cards that are neither drafts nor archived.' }),
    drafts: Type.Integer(),
    version: Type.Integer({
      description:
        'Starts at 1; each change of its fields adds 1: by PATCH, by an import, with the archiving of its source.',
      examples: [1],
    }),
    source: nullable({
      ...OwnerSource,
      description: 'Null for the content folder, released content, and rows inserted by scripts.',
    }),
  },
  { title: 'EditedDeck' },
)

export const EditedDecksQuery = Type.Object({ source: id('int64', 'Id of a source; absent or empty means all.') })

export const EditedDecks = Type.Object({ decks: Type.Array(EditedDeck) })

export const EditedDeckResponse = Type.Object({ deck: EditedDeck })

export const EditedDeckParams = Type.Object({ slug: Type.String({ examples: ['git'] }) })

const Name = Type.String({ description: 'At most 200 characters.', examples: ['Git für alle'] })
const FIELDS = {
  description: Type.Optional(Type.String({ description: 'At most 2,000 characters.', examples: ['Das Werkzeug'] })),
  sort_order: Type.Optional(Type.Integer({ minimum: -(2 ** 31), maximum: 2 ** 31 - 1, examples: [10] })),
  ...GroupEdit,
  desired_retention: Type.Optional(nullable(Type.Number(RETENTION))),
}

export const DeckCreation = Type.Object({
  source_id: Type.Integer({ examples: [3] }),
  name: Name,
  ...FIELDS,
  tests_only: Type.Optional(
    Type.Boolean({ description: 'Makes the deck a pool of test questions; cannot be changed later.' }),
  ),
  visibility: Type.Optional(
    Type.Unsafe<DeckVisibility>({
      type: 'string',
      enum: VISIBILITIES,
      default: 'active',
      description: `\`draft\`: archived, so that only editors see it, until a PATCH with \`archived: false\`; then \`offered\`.
\`offered\`: each learner may activate it. \`active\`: active for all learners.`,
    }),
  ),
  client_id: FormClientId,
})

export const DeckEdit = Type.Object({
  name: Type.Optional(Name),
  ...FIELDS,
  archived: Type.Optional(Type.Boolean()),
  version: BasedOn,
})
