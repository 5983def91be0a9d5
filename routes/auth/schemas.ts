import { Type } from '@sinclair/typebox'
import { User } from '../../src/schemas.js'

export const LoginBody = Type.Object({
  username: Type.String({ description: 'Trimmed.' }),
  password: Type.String(),
})

export const PasswordBody = Type.Object({
  current_password: Type.String(),
  new_password: Type.String({ description: '6 to 1,000 characters.' }),
})

export const UserAnswer = Type.Object({ user: User })
