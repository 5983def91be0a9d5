import { Type } from '@sinclair/typebox'
import { LEARNER_GROUP, nullable } from '../../src/http/schemas.js'

export const SheetLanguages = Type.Object({
  sheets: Type.Array(
    Type.Object({ slug: Type.String({ examples: ['git-befehle'] }), ...LEARNER_GROUP }, { title: 'SheetLanguage' }),
    { description: 'By slug.' },
  ),
})

export const VariantParams = Type.Object({
  slug: Type.String({ description: 'Slug of any variant of the group.', examples: ['git'] }),
})

const Language = Type.String({ description: 'Language of one of the variants (BCP 47).', examples: ['en'] })

export const ChoiceBody = Type.Object({
  lang: nullable({ ...Language, description: `${Language.description} Null for the caller's language.` }),
})

export const ChoiceResponse = Type.Object({
  slug: Type.String({ description: 'Slug of the variant that lists now show to the caller.', examples: ['git-en'] }),
  lang: Language,
})
