import { Type } from '@sinclair/typebox'
import { flag } from '../../src/http/query.js'
import { errorWith, User } from '../../src/http/schemas.js'
import { Changes, Place } from '../../src/services/content/upload/report.js'

export const UserList = Type.Object({ users: Type.Array(User) })

export const CreateUserBody = Type.Object({
  username: Type.String({
    description: '1 to 200 characters after trimming; unique, case-sensitive.',
    examples: ['erika'],
  }),
  display_name: Type.String({ description: '1 to 200 characters after trimming.', examples: ['Erika Muster'] }),
  password: Type.String({ description: '6 to 1,000 characters.', examples: ['vier zufällige Wörter'] }),
  is_admin: Type.Optional(
    Type.Unknown({ description: 'Any truthy value creates an administrator.', examples: [false] }),
  ),
})

export const UserCreated = Type.Object({
  id: Type.Integer({ examples: [7] }),
  message: Type.String({ examples: ['Benutzer erstellt'] }),
})

export const UserParams = Type.Object({ id: Type.String({ description: 'Decimal digits.', examples: ['7'] }) })

export const ImportQuery = Type.Object({
  force: flag(
    'Allows the import to archive more than half of the live cards or cheat sheets (of ten or more); otherwise it is refused.',
  ),
})

export const ImportDone = Type.Object({
  message: Type.String({ examples: ['Import abgeschlossen'] }),
  stats: Type.Object({
    decks: Changes,
    cards: Changes,
    cheatsheets: Changes,
    tests: Type.Optional(Changes),
    duration_ms: Type.Integer({ examples: [412] }),
    warnings: Type.Array(Place, {
      description: "Content that was imported or omitted, perhaps against the author's intention.",
    }),
  }),
})

export const ImportRefused = errorWith(
  {
    errors: Type.Optional(
      Type.Array(Place, { description: 'Every fault of the content; `file` is relative to the content folder.' }),
    ),
  },
  'ImportError',
)
