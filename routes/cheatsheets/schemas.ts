import { Type } from '@sinclair/typebox'
import { nullable, Timestamp } from '../../src/schemas.js'

const Summary = Type.Object({
  id: Type.Integer(),
  slug: Type.String(),
  title: Type.String(),
  category: Type.String(),
})

export const CheatsheetList = Type.Object({ cheatsheets: Type.Array(Summary) })

export const SearchQuery = Type.Object({
  q: Type.Optional(Type.String({ description: 'At least 2 characters; `%` and `_` are wildcards.' })),
})

export const SearchAnswer = Type.Object({ cheatsheets: Type.Array(Summary), query: Type.String() })

export const CheatsheetParams = Type.Object({ slug: Type.String() })

export const CheatsheetAnswer = Type.Object({
  cheatsheet: Type.Object({
    id: Type.Integer(),
    slug: Type.String(),
    title: Type.String(),
    category: Type.String(),
    content_md: Type.String(),
    created_at: Timestamp,
    updated_at: Timestamp,
    archived_at: nullable(Timestamp),
  }),
})
