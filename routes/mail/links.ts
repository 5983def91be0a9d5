import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { endDueCards } from '../../db/queries/mail/addresses.js'
import { ignoreForms } from '../../plugins/bodies.js'
import { CONFIRMATION_NOT_FOUND } from '../../src/domain/mail/own-refusals.js'
import { isSecret } from '../../src/domain/text/secrets.js'
import { Done, responses } from '../../src/http/schemas.js'
import { confirmAddress } from '../../src/services/mail/own-address.js'
import { ConfirmAddressBody, Confirmed, UnsubscribeBody, UnsubscribeQuery } from './own-schemas.js'

const PER_TEN_SECONDS = 20
/** Limit of requests per IP address; high, because mail services unsubscribe many users from a few IP addresses. */
const UNSUBSCRIBES_PER_TEN_SECONDS = 200

/**
 * Routes for the links in mails, called by the page that a link opens or by a mail program. They need no login, because
 * the request contains the secret of the link.
 */
const links: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    '/confirm',
    {
      schema: {
        operationId: 'confirmAddress',
        summary: 'Confirm an address with the token of its mail, once',
        tags: ['mail'],
        security: [],
        body: ConfirmAddressBody,
        response: responses(Confirmed, [CONFIRMATION_NOT_FOUND]),
      },
      onRequest: app.limitRequests('mail confirmation', PER_TEN_SECONDS),
    },
    async ({ body }) => ({ email: await confirmAddress(app.db, body.token, app.clock.moment()) }),
  )

  await app.register(async (forms: typeof app) => {
    // A mail program sends the form `List-Unsubscribe=One-Click`, which is ignored; the key is in the query of the URL.
    ignoreForms(forms)
    forms.post(
      '/unsubscribe',
      {
        schema: {
          operationId: 'unsubscribe',
          summary: 'End the mails about due cards',
          description:
            'RFC 8058 (one click), or JSON with the key. The response is the same for a key that does not exist.',
          tags: ['mail'],
          security: [],
          querystring: UnsubscribeQuery,
          body: UnsubscribeBody,
          response: responses(Done),
        },
        onRequest: app.limitRequests('mail unsubscription', UNSUBSCRIBES_PER_TEN_SECONDS),
      },
      async ({ query, body }) => {
        const key = query.key ?? body.key
        if (isSecret(key)) await endDueCards(app.db, key)
        return { ok: true as const }
      },
    )
  })
}

export default links
