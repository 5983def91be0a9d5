import { Type } from '@sinclair/typebox'
import { nullable } from '../../src/http/schemas.js'
import { TEXT_FIELDS } from './card-schemas.js'

const VERSIONS = {
  deck: Type.String({
    description: 'Digest of the name, the description and the cards of the original.',
    examples: ['9f86d081884c7d65'],
  }),
  sheet: Type.Integer({ description: 'Version of the original.', examples: [3] }),
  test: Type.Integer({ description: 'Published version of the original; 0 if there is none.', examples: [3] }),
}

const FIELDS = {
  deck: ['name', 'description'],
  sheet: ['title', 'category', 'content_md'],
  test: ['name', 'description', 'introduction'],
}

const ChangedCard = Type.Object(
  {
    id: Type.Integer({ description: 'Id of the card of the original.' }),
    variant_card_id: nullable(
      Type.Integer({ description: 'Id of the card with the same key in the variant; null if it has none.' }),
    ),
    change: Type.String({ enum: ['added', 'changed', 'removed'] }),
    before: nullable(Type.Object(TEXT_FIELDS, { description: 'Null for an added card.' })),
    after: nullable(Type.Object(TEXT_FIELDS, { description: 'Null for a removed card.' })),
  },
  { title: 'ChangedOriginalCard' },
)

function comparison<Kind extends keyof typeof VERSIONS>(kind: Kind) {
  return {
    original: Type.Object({
      slug: Type.String({ examples: ['git'] }),
      lang: Type.String({ examples: ['de'] }),
      title: Type.String({ examples: ['Git'] }),
    }),
    original_version: VERSIONS[kind],
    translation_outdated: Type.Boolean({
      description: 'Whether the original has changed since the variant was checked against it.',
    }),
    texts: Type.Array(
      Type.Object({ field: Type.String({ enum: FIELDS[kind] }), before: Type.String(), after: Type.String() }),
      { description: 'Texts of the original that have changed since then.' },
    ),
  }
}

export const DeckComparison = Type.Object({
  translation: Type.Object(
    {
      ...comparison('deck'),
      cards: Type.Array(ChangedCard, { description: 'At most 100, in the order of the original.' }),
      cards_total: Type.Integer({ description: 'Number of all changed cards.' }),
    },
    { title: 'DeckTranslation' },
  ),
})

export const SheetComparison = Type.Object({
  translation: Type.Object(comparison('sheet'), { title: 'SheetTranslation' }),
})

export const TestComparison = Type.Object({
  translation: Type.Object(comparison('test'), { title: 'TestTranslation' }),
})

export const DeckCheck = Type.Object({ original_version: VERSIONS.deck })
export const NumberedCheck = Type.Object({ original_version: VERSIONS.sheet })

export const CopiedCards = Type.Object({
  copied: Type.Integer({ description: 'Number of the new drafts.', examples: [12] }),
})
