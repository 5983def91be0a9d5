import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { deleteConfirmation, findOwnMail, setDueCardsKey } from '../../db/queries/mail/addresses.js'
import { NOT_LOGGED_IN } from '../../src/domain/accounts/refusals.js'
import { parseMailAddress } from '../../src/domain/mail/address.js'
import { ADDRESS_NOT_OWN, MAIL_IS_OFF } from '../../src/domain/mail/own-refusals.js'
import { linkAddressOf } from '../../src/domain/mail/settings.js'
import { languageOf } from '../../src/domain/text/language.js'
import { createSecret } from '../../src/domain/text/secrets.js'
import { responses } from '../../src/http/schemas.js'
import { removeAddress, requestAddress } from '../../src/services/mail/own-address.js'
import { AddressBody, DueCardsBody, OwnMailResponse } from './own-schemas.js'

const ownMail: FastifyPluginAsyncTypebox = async (app) => {
  const mailLinkUrl = linkAddressOf(app.config)
  app.get(
    '/mine',
    {
      schema: {
        operationId: 'getOwnMail',
        summary: "The caller's mail address and mail settings",
        tags: ['mail'],
        response: responses(OwnMailResponse),
      },
    },
    ({ user }) => view(user.id),
  )

  app.post(
    '/address',
    {
      schema: {
        operationId: 'requestAddress',
        summary: 'Send a link that confirms a new address of the caller',
        description: `The current address stays until the new one is confirmed. Another request replaces the earlier
one; at most four per hour. The response does not reveal whether other users have the address.`,
        tags: ['mail'],
        body: AddressBody,
        response: responses(OwnMailResponse, [MAIL_IS_OFF]),
      },
    },
    async ({ user, body }) => {
      const email = parseMailAddress(body.email)
      if (mailLinkUrl === undefined) throw MAIL_IS_OFF
      const language = languageOf(user, app.config.defaultLanguage)
      await requestAddress(
        app.db,
        { userId: user.id, email },
        { moment: app.clock.moment(), timeZone: app.clock.timeZone, address: mailLinkUrl, language },
      )
      return view(user.id)
    },
  )

  app.delete(
    '/address/pending',
    {
      schema: {
        operationId: 'cancelAddress',
        summary: 'Discard the address that is not confirmed yet, if there is one',
        tags: ['mail'],
        response: responses(OwnMailResponse),
      },
    },
    async ({ user }) => {
      await deleteConfirmation(app.db, user.id)
      return view(user.id)
    },
  )

  app.delete(
    '/address',
    {
      schema: {
        operationId: 'removeAddress',
        summary: 'Remove the address that the caller has confirmed',
        tags: ['mail'],
        response: responses(OwnMailResponse, [ADDRESS_NOT_OWN]),
      },
    },
    async ({ user }) => {
      await removeAddress(app.db, user.id, app.clock.moment())
      return view(user.id)
    },
  )

  app.put(
    '/due-cards',
    {
      schema: {
        operationId: 'setDueCardsMail',
        summary: 'Turn the mail about due cards on or off',
        tags: ['mail'],
        body: DueCardsBody,
        response: responses(OwnMailResponse),
      },
    },
    async ({ user, body }) => {
      await setDueCardsKey(app.db, user.id, body.on ? createSecret() : null)
      return view(user.id)
    },
  )

  async function view(userId: number) {
    const own = await findOwnMail(app.db, userId, app.clock.now())
    if (own === undefined) throw NOT_LOGGED_IN
    const { email, email_confirmed_at, pending, due_cards } = own
    return { configured: mailLinkUrl !== undefined, email, confirmed: email_confirmed_at !== null, pending, due_cards }
  }
}

export default ownMail
