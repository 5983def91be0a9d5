import { Type } from '@sinclair/typebox'
import { User } from '../../src/schemas.js'

export const LoginBody = Type.Object({
  username: Type.String({ description: 'Trimmed.', examples: ['erika'] }),
  password: Type.String({ examples: ['vier zufällige Wörter'] }),
})

export const PasswordBody = Type.Object({
  current_password: Type.String({ examples: ['vier zufällige Wörter'] }),
  new_password: Type.String({ description: '6 to 1,000 characters.', examples: ['ganz andere Wörter'] }),
})

export const UserAnswer = Type.Object({ user: User })
