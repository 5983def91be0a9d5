import { Type } from '@sinclair/typebox'
import { DIFFICULTIES } from '../../db/queries/content/editing/difficult.js'
import { choiceOr, clamped, NEXT_OF_NEWEST_FIRST, newestFirst } from '../../src/http/query.js'
import { nullable, optional, Timestamp } from '../../src/http/schemas.js'
import { DeckName } from './card-schemas.js'
import { ChangeKindSchema, OwnerSource } from './sheet-schemas.js'

export const ChangesQuery = Type.Object({
  by: optional('User name of the author.', 'erika'),
  ...newestFirst({ maximum: 200, fallback: 50, cursor: 'int64' }),
})

export const ChangeList = Type.Object({
  changes: Type.Array(
    Type.Object({
      id: Type.Integer({ description: 'Id for the undo.' }),
      at: Timestamp,
      by_name: nullable(Type.String({ description: 'Display name of the author.' })),
      accepted_by_name: nullable(Type.String()),
      by: nullable(Type.String({ description: 'User name; null if unknown or the account has been deleted.' })),
      accepted_by: nullable(Type.String({ description: 'Editor who accepted the suggested text.' })),
      how: ChangeKindSchema,
      source: nullable({ ...OwnerSource, description: 'Null for the content folder.' }),
      items: Type.Integer({ description: 'Number of changed cards and sheets.' }),
      kind: Type.Unsafe<'card' | 'sheet' | null>({
        type: ['string', 'null'],
        enum: ['card', 'sheet', null],
        description: 'Null if several items changed; the next four keys are then null as well.',
        examples: ['card'],
      }),
      card_id: nullable(Type.Integer()),
      sheet_slug: nullable(Type.String()),
      title: nullable(Type.String({ description: 'Plain text of the question, shortened, or title of the sheet.' })),
      deck: nullable(DeckName),
      summary: Type.Unsafe<Record<string, unknown> | null>({
        type: ['object', 'null'],
        additionalProperties: true,
        description: 'Further facts of a bulk change or an import.',
      }),
      can_undo: Type.Boolean({ description: 'Whether it can be undone: it only edits cards and is not undone yet.' }),
      undoes: nullable(Type.Integer({ description: 'Id of the change that this one undoes.' })),
      undone_by: nullable(Type.Integer({ description: 'Id of the change that undoes this one.' })),
    }),
    { description: 'Newest first.' },
  ),
  ...NEXT_OF_NEWEST_FIRST,
})

export const DifficultQuery = Type.Object({
  order: choiceOr(DIFFICULTIES, 'again', 'Share of persons who forgot the card, or reports.'),
  limit: clamped({ minimum: 1, maximum: 200, fallback: 50 }),
})

export const DifficultCards = Type.Object({
  cards: Type.Array(
    Type.Object({
      id: Type.Integer(),
      question: Type.String(),
      deck: DeckName,
      learners: nullable(
        Type.Integer({ description: 'Number of persons at `as_of`; null until enough persons have answered.' }),
      ),
      again_percent: nullable(
        Type.Integer({
          description: 'Share of `learners` who answered „Nochmal“ when the card came back for the first time.',
        }),
      ),
      as_of: nullable(Timestamp),
      reports: Type.Integer(),
    }),
  ),
})
