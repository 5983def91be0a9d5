import { Type } from '@sinclair/typebox'
import { clamped } from '../../src/http/query.js'
import { LANG, nullable, optional } from '../../src/http/schemas.js'

export const SearchAllQuery = Type.Object({
  q: optional('Words that an item must contain; at most 200 characters.', 'git stash'),
  limit: clamped({ minimum: 1, maximum: 50, fallback: 20 }),
})

const Ranges = (of: string) =>
  Type.Array(Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 }), {
    description: `Matches in \`${of}\`: start and end in UTF-16 code units, in order, without overlap.`,
    examples: [[[4, 9]]],
  })

const SearchHit = Type.Object(
  {
    kind: Type.String({ enum: ['deck', 'cheatsheet', 'card'] }),
    slug: nullable(Type.String({ description: 'Slug of a deck or sheet.' })),
    lang: Type.String(LANG),
    card_id: nullable(Type.Integer()),
    title: Type.String({
      description: 'Name of the deck, title of the sheet, or the beginning of the question; plain text.',
      examples: ['Was macht git stash?'],
    }),
    deck: Type.Unsafe<{ slug: string; name: string } | null>({
      type: ['object', 'null'],
      description: 'Deck of a card; otherwise null.',
      properties: { slug: Type.String(), name: Type.String() },
      required: ['slug', 'name'],
      additionalProperties: false,
    }),
    category: nullable(Type.String({ description: 'Category of a sheet; otherwise null.' })),
    excerpt: Type.String({
      description: 'About 160 characters of plain text around the first match.',
      examples: ['Legt Änderungen beiseite.'],
    }),
    title_ranges: Ranges('title'),
    excerpt_ranges: Ranges('excerpt'),
  },
  { title: 'SearchHit' },
)

export const SearchResponse = Type.Object({
  query: Type.String({ examples: ['git stash'] }),
  results: Type.Array(SearchHit),
  corrected: Type.Boolean({
    description: 'Whether matches differ from the query by a typing error.',
    examples: [false],
  }),
  complete: Type.Boolean({
    description: 'False while new content is not indexed yet: repeat the request later.',
    examples: [true],
  }),
})
