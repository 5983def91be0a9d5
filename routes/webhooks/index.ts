import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findWebhook, listDeliveries, listWebhooks, type Webhook } from '../../db/queries/webhooks/webhooks.js'
import { actorOf } from '../../plugins/auth.js'
import { LOGIN_TOO_OLD } from '../../src/domain/accounts/refusals.js'
import { VersionOutdated } from '../../src/domain/content/refusals.js'
import { ClientIdUsed } from '../../src/domain/form-requests.js'
import { cutPage } from '../../src/domain/page.js'
import { TooManyAttempts } from '../../src/domain/refusal.js'
import { parseRowId } from '../../src/domain/text/parameters.js'
import { messageIdOf } from '../../src/domain/webhooks/events.js'
import {
  DELIVERY_NOT_FOUND,
  DELIVERY_WAITING,
  TOO_MANY_WEBHOOKS,
  WEBHOOK_NOT_FOUND,
  WEBHOOKS_HELD,
} from '../../src/domain/webhooks/refusals.js'
import { hostOf, parseWebhook } from '../../src/domain/webhooks/webhook.js'
import { Done, responses } from '../../src/http/schemas.js'
import { formRequestOf } from '../../src/services/create-once.js'
import {
  changeWebhook,
  createWebhook,
  removeWebhook,
  sendAgain,
  sendTestEvent,
} from '../../src/services/webhooks/webhooks.js'
import {
  ChangeWebhookBody,
  CreateWebhookBody,
  DeliveryList,
  DeliveryParams,
  DeliveryQuery,
  WebhookChanged,
  WebhookCreated,
  WebhookList,
  WebhookParams,
  WebhookResponse,
  WebhookSent,
} from './schemas.js'

/** Maximum number of messages that administrators send by hand per minute and instance */
const MAX_SENT = 20
const MINUTE_MS = 60_000
const SENT_AT_ONCE = `Returns what happened within about 10 seconds. At most ${MAX_SENT} per minute.`

/** Webhooks for administrators. The address of a webhook is a secret, so responses contain its host only. */
const webhooks: FastifyPluginAsyncTypebox = async (app) => {
  const { simulatedDate, defaultLanguage, publicUrl } = app.config
  const rules = app.webhookRules
  let sent: number[] = []

  app.get(
    '/',
    {
      schema: {
        operationId: 'listWebhooks',
        summary: 'All webhooks, by name',
        tags: ['webhooks'],
        response: responses(WebhookList),
      },
    },
    async () => ({ webhooks: (await listWebhooks(app.db)).map(view), held: simulatedDate !== undefined }),
  )

  app.get(
    '/:id',
    {
      schema: {
        operationId: 'getWebhook',
        summary: 'A webhook',
        tags: ['webhooks'],
        params: WebhookParams,
        response: responses(WebhookResponse, [WEBHOOK_NOT_FOUND]),
      },
    },
    async ({ params }) => ({ webhook: view(await find(webhookIdOf(params))) }),
  )

  app.post(
    '/',
    {
      schema: {
        operationId: 'createWebhook',
        summary: 'Create a webhook; the response is the only one that contains the secret',
        description: 'A repeated request gets the same object with a new `secret`; the former one ends.',
        tags: ['webhooks'],
        body: CreateWebhookBody,
        response: responses(WebhookCreated, [LOGIN_TOO_OLD, TOO_MANY_WEBHOOKS, new ClientIdUsed({ id: 3 })]),
      },
      preHandler: app.requireFreshLogin,
    },
    async (request) => {
      const { name, url, events, kind = 'standard', include_names = false } = request.body
      const given = parseWebhook({ name, url, events, kind, include_names }, rules)
      const repeated = formRequestOf(request.user, request.body)
      const { webhook, secret } = await createWebhook(app.db, actorOf(request), given, repeated)
      return { webhook: view(webhook), secret }
    },
  )

  app.patch(
    '/:id',
    {
      schema: {
        operationId: 'changeWebhook',
        summary: 'Change, pause or resume a webhook',
        description: '`url`, `new_secret` and `include_names: true` require a login within the last ten minutes.',
        tags: ['webhooks'],
        params: WebhookParams,
        body: ChangeWebhookBody,
        response: responses(WebhookChanged, [LOGIN_TOO_OLD, WEBHOOK_NOT_FOUND, new VersionOutdated(2)]),
      },
      preHandler: requireFreshLoginToRedirect,
    },
    async (request) => {
      const { version, ...given } = request.body
      const change = {
        id: webhookIdOf(request.params),
        change: parseWebhook(given, rules),
        version,
        at: app.clock.now(),
      }
      const { webhook, secret } = await changeWebhook(app.db, actorOf(request), change)
      return { webhook: view(webhook), ...(secret !== undefined && { secret }) }
    },
  )

  app.delete(
    '/:id',
    {
      schema: {
        operationId: 'deleteWebhook',
        summary: 'Delete a webhook with its waiting events',
        tags: ['webhooks'],
        params: WebhookParams,
        response: responses(Done),
      },
    },
    async (request) => {
      const id = parseRowId(request.params.id, INVALID_WEBHOOK)
      if (id !== undefined) await removeWebhook(app.db, actorOf(request), id)
      return { ok: true as const }
    },
  )

  app.post(
    '/:id/test',
    {
      schema: {
        operationId: 'testWebhook',
        summary: 'Send a test event at once, also if the webhook is paused',
        description: SENT_AT_ONCE,
        tags: ['webhooks'],
        params: WebhookParams,
        response: responses(WebhookSent, [WEBHOOK_NOT_FOUND, WEBHOOKS_HELD]),
      },
    },
    async (request) => {
      const id = webhookIdOf(request.params)
      await find(id)
      limitSent()
      return sendTestEvent(app.db, actorOf(request), id, context())
    },
  )

  app.get(
    '/:id/deliveries',
    {
      schema: {
        operationId: 'listDeliveries',
        summary: 'The events of a webhook, newest first',
        description: 'Waiting events, and the last 100 of those that were delivered or refused.',
        tags: ['webhooks'],
        params: WebhookParams,
        querystring: DeliveryQuery,
        response: responses(DeliveryList, [WEBHOOK_NOT_FOUND]),
      },
    },
    async ({ params, query: { after: before, limit } }) => {
      const { id } = await find(webhookIdOf(params))
      const found = await listDeliveries(app.db, id, { before, limit: limit + 1 })
      const { page, next } = cutPage(found, limit, (delivery) => delivery.id)
      const deliveries = page.map((delivery) => ({
        ...delivery,
        message_id: messageIdOf(delivery),
        may_send_again: delivery.state !== 'waiting',
      }))
      return { deliveries, next_after: next }
    },
  )

  app.post(
    '/:id/deliveries/:delivery/send',
    {
      schema: {
        operationId: 'sendDeliveryAgain',
        summary: 'Send an event again at once, with the same `webhook-id`',
        description: SENT_AT_ONCE,
        tags: ['webhooks'],
        params: DeliveryParams,
        response: responses(WebhookSent, [WEBHOOK_NOT_FOUND, DELIVERY_NOT_FOUND, DELIVERY_WAITING, WEBHOOKS_HELD]),
      },
    },
    async (request) => {
      const id = webhookIdOf(request.params)
      const delivery = parseRowId(request.params.delivery, 'Ungültige Zustellungs-ID', Number.MAX_SAFE_INTEGER)
      await find(id)
      if (delivery === undefined) throw DELIVERY_NOT_FOUND
      limitSent()
      return sendAgain(app.db, actorOf(request), { id, delivery }, context())
    },
  )

  /** A new address, secret or the names of persons could give an attacker with an open session all later events. */
  async function requireFreshLoginToRedirect(this: FastifyInstance, request: FastifyRequest, reply: FastifyReply) {
    const { url, new_secret, include_names } = (request.body ?? {}) as Record<string, unknown>
    if (url === undefined && new_secret !== true && include_names !== true) return
    await app.requireFreshLogin.call(this, request, reply)
  }

  function limitSent(): void {
    if (simulatedDate !== undefined) throw WEBHOOKS_HELD
    const now = performance.now()
    sent = sent.filter((at) => at > now - MINUTE_MS)
    const [first] = sent
    if (first !== undefined && sent.length >= MAX_SENT) {
      throw new TooManyAttempts(Math.ceil((first + MINUTE_MS - now) / 1_000))
    }
    sent.push(now)
  }

  function context() {
    return { rules, defaultLanguage, publicUrl, signal: app.stopping }
  }

  async function find(id: number): Promise<Webhook> {
    const webhook = await findWebhook(app.db, id)
    if (webhook === undefined) throw WEBHOOK_NOT_FOUND
    return webhook
  }
}

const INVALID_WEBHOOK = 'Ungültige Webhook-ID'

function webhookIdOf({ id }: { id: string }): number {
  const parsed = parseRowId(id, INVALID_WEBHOOK)
  if (parsed === undefined) throw WEBHOOK_NOT_FOUND
  return parsed
}

function view({ url, ...webhook }: Webhook) {
  return { ...webhook, host: hostOf(url) }
}

export default webhooks
