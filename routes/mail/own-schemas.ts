import { Type } from '@sinclair/typebox'
import { nullable, optional, Timestamp } from '../../src/http/schemas.js'

const Address = Type.String({ examples: ['erika@example.org'] })

export const OwnMailResponse = Type.Object({
  configured: Type.Boolean({ description: 'Whether this service sends mail.' }),
  email: nullable(Address),
  confirmed: Type.Boolean({
    description: 'Whether the caller entered and confirmed `email`; false if an administrator or the provider set it.',
  }),
  pending: nullable(
    Type.Object(
      { address: Address, expires_at: Timestamp },
      { description: 'Address that the caller has not confirmed yet.' },
    ),
  ),
  due_cards: Type.Boolean({
    description: 'Whether the caller gets a mail with the number of due cards on working days.',
  }),
})

export const AddressBody = Type.Object({ email: Address })
export const DueCardsBody = Type.Object({ on: Type.Boolean({ examples: [true] }) })
export const ConfirmAddressBody = Type.Object({
  token: Type.String({ description: 'From the link in the mail.', examples: ['N1mZ…Qw'] }),
})
export const Confirmed = Type.Object({ email: Address })
export const UnsubscribeQuery = Type.Object({ key: optional('The key, if the body does not contain it.', 'N1mZ…Qw') })
export const UnsubscribeBody = Type.Object({ key: optional('From the link in the mail.', 'N1mZ…Qw') })
