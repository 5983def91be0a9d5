import { Type } from '@sinclair/typebox'
import { nullable, optional, Timestamp } from '../../src/http/schemas.js'

const summaryFields = {
  id: Type.Integer({ examples: [3] }),
  slug: Type.String({ examples: ['git-befehle'] }),
  title: Type.String({ examples: ['Git-Befehle'] }),
  category: Type.String({ examples: ['Git'] }),
}

const Summary = Type.Object(summaryFields, { title: 'CheatsheetSummary' })

export const CheatsheetList = Type.Object({ cheatsheets: Type.Array(Summary) })

export const SearchQuery = Type.Object({
  q: optional('At least 2 characters; `%` and `_` are wildcards.', 'stash'),
})

export const SheetSearchResponse = Type.Object({
  cheatsheets: Type.Array(Summary),
  query: Type.String({ examples: ['stash'] }),
})

export const CheatsheetParams = Type.Object({ slug: Type.String({ examples: ['git-befehle'] }) })

export const CheatsheetResponse = Type.Object({
  cheatsheet: Type.Object(
    {
      ...summaryFields,
      content_md: Type.String({ examples: ['# Git-Befehle\n'] }),
      created_at: Timestamp,
      updated_at: Timestamp,
      archived_at: nullable(Timestamp),
    },
    { title: 'Cheatsheet' },
  ),
})
