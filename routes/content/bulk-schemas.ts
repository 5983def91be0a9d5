import { Type } from '@sinclair/typebox'
import { CARD_FILTERS } from '../../db/queries/content/editing/cards.js'
import { MAX_IDS } from '../../plugins/rights.js'
import { MARKDOWN_TEXTS } from '../../src/domain/content/card-texts.js'
import { nullable } from '../../src/http/schemas.js'
import { TEXT_FIELDS } from './card-schemas.js'

export const BulkBody = Type.Object(
  {
    ids: Type.Optional(Type.Array(Type.Integer(), { maxItems: MAX_IDS, examples: [[17, 18]] })),
    filter: Type.Optional(
      Type.Object(
        {
          deck: Type.String({ description: 'Slug.', examples: ['git'] }),
          state: Type.Optional(
            Type.Unsafe<(typeof CARD_FILTERS)[number]>({
              type: 'string',
              enum: CARD_FILTERS,
              description: '`live` if absent: not archived, drafts included.',
            }),
          ),
          level: Type.Optional(Type.String()),
          q: Type.Optional(Type.String({ maxLength: 200 })),
        },
        { description: 'Instead of `ids`: as in `GET /api/content/cards`; may match at most 20,000 cards.' },
      ),
    ),
    change: Type.Object(
      {
        level: Type.Optional(Type.String({ examples: ['grundlagen'] })),
        deck: Type.Optional(Type.String({ description: 'Slug of the deck to move to.' })),
        archived: Type.Optional(Type.Boolean()),
        draft: Type.Optional(Type.Boolean()),
        replace: Type.Optional(
          Type.Object(
            {
              find: Type.String({ minLength: 1, maxLength: 1_000, examples: ['Master'] }),
              with: Type.String({ maxLength: 10_000, examples: ['main'] }),
              match_case: Type.Optional(Type.Boolean({ description: 'Distinguishes upper and lower case.' })),
              whole_word: Type.Optional(
                Type.Boolean({ description: 'Letters, digits and `_` may neither precede nor follow.' }),
              ),
            },
            { description: `Replaces plain text in ${MARKDOWN_TEXTS.join(', ')} and options.` },
          ),
        ),
      },
      { minProperties: 1, description: 'At least one key; fields of absent keys are unchanged.' },
    ),
    check: Type.Optional(Type.Boolean({ description: 'Returns what would change, without writing.' })),
  },
  { examples: [{ ids: [31, 32], change: { level: 'aufbau' } }] },
)

const Texts = Type.Omit(Type.Object(TEXT_FIELDS), ['form', 'tolerance', 'unit'])

export const BulkChangeResponse = Type.Object({
  change_id: nullable(Type.Integer({ description: 'Id for the undo; null if nothing was written.' })),
  changed: Type.Integer({ description: 'Number of cards that changed, or would change with `check`.' }),
  hits: Type.Integer({ description: 'Number of places that `replace` found.' }),
  examples: Type.Array(Type.Object({ id: Type.Integer(), before: Texts, after: Texts }), {
    description: 'The first changed cards: at most 20, and fewer if their texts are long.',
  }),
})

export const ChangeParams = Type.Object({
  change_id: Type.String({ description: 'Decimal digits.', examples: ['42'] }),
})

export const UndoneChange = Type.Object({
  undone: Type.Integer({ description: 'Number of cards.' }),
  skipped: Type.Array(Type.Integer(), { description: 'Ids of cards that have changed since.' }),
})
