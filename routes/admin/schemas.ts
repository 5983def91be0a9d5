import { Type } from '@sinclair/typebox'
import { ErrorBody, User } from '../../src/schemas.js'

export const UserList = Type.Object({ users: Type.Array(User) })

export const CreateUserBody = Type.Object({
  username: Type.String({ description: '1 to 200 characters after trimming; unique as written.' }),
  display_name: Type.String({ description: '1 to 200 characters after trimming.' }),
  password: Type.String({ description: '6 to 1,000 characters.' }),
  is_admin: Type.Optional(Type.Unknown({ description: 'Any truthy value makes an administrator.' })),
})

export const UserCreated = Type.Object({ id: Type.Integer(), message: Type.String() })

export const UserParams = Type.Object({ id: Type.String({ description: 'Decimal digits.' }) })

const Changes = Type.Object({
  created: Type.Integer(),
  updated: Type.Integer(),
  unchanged: Type.Integer(),
  archived: Type.Integer(),
})

export const ImportDone = Type.Object({
  message: Type.String(),
  stats: Type.Object({ decks: Changes, cards: Changes, cheatsheets: Changes, duration_ms: Type.Integer() }),
})

export const ImportRefused = Type.Composite([
  ErrorBody,
  Type.Object({
    errors: Type.Optional(
      Type.Array(Type.Object({ file: Type.String(), line: Type.Integer(), message: Type.String() }), {
        description: 'Every fault of the content; `file` is relative to the content folder.',
      }),
    ),
  }),
])
