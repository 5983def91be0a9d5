import { Type } from '@sinclair/typebox'
import {
  DELIVERY_FAULTS,
  DELIVERY_STATES,
  type DeliveryFault,
  type DeliveryState,
} from '../../src/domain/webhooks/delivery.js'
import { type EventType, TEST_EVENT, WEBHOOK_EVENTS, type WebhookEvent } from '../../src/domain/webhooks/events.js'
import { PAUSE_CAUSES, type PauseCause, WEBHOOK_KINDS, type WebhookKind } from '../../src/domain/webhooks/webhook.js'
import { page } from '../../src/http/query.js'
import { BasedOn, FormClientId, nullable, Timestamp } from '../../src/http/schemas.js'

export const WebhookParams = Type.Object({ id: Type.String({ description: 'Decimal digits.', examples: ['3'] }) })

export const DeliveryParams = Type.Object({
  id: Type.String({ description: 'Id of the webhook, decimal digits.', examples: ['3'] }),
  delivery: Type.String({ description: 'Id of the delivery, decimal digits.', examples: ['170'] }),
})

const Name = Type.String({ description: '1 to 100 characters after trimming.', examples: ['Personalsystem'] })

const Url = Type.String({
  description: `Address with \`https://\`, at most 2,000 characters, without a login or \`#\`. Internal addresses and \`http://\`
only in networks that \`WEBHOOK_ALLOW\` names. It is a secret: responses contain its host only.`,
  examples: ['https://hr.example.org/hooks/training'],
})

const Kind = Type.Unsafe<WebhookKind>({
  type: 'string',
  enum: [...WEBHOOK_KINDS],
  description: '`standard`: Standard Webhooks; `teams`: an Adaptive Card for a workflow of Microsoft Teams.',
  examples: ['standard'],
})

const Events = Type.Array(
  Type.Unsafe<WebhookEvent>({ type: 'string', enum: [...WEBHOOK_EVENTS], examples: ['assignment.completed'] }),
  { minItems: 1, maxItems: 50 },
)

const IncludeNames = Type.Boolean({
  description: 'Whether bodies contain the names of persons, and the codes of certificates.',
  examples: [false],
})

export const CreateWebhookBody = Type.Object({
  name: Name,
  url: Url,
  events: Events,
  kind: Type.Optional(Kind),
  include_names: Type.Optional(IncludeNames),
  client_id: FormClientId,
})

export const ChangeWebhookBody = Type.Object({
  name: Type.Optional(Name),
  url: Type.Optional(Url),
  events: Type.Optional(Events),
  kind: Type.Optional(Kind),
  include_names: Type.Optional(IncludeNames),
  paused: Type.Optional(
    Type.Boolean({
      description: '`true` pauses sending while events keep waiting; `false` resumes and sends them.',
      examples: [false],
    }),
  ),
  new_secret: Type.Optional(
    Type.Boolean({ description: '`true` replaces the secret; the response contains the new one.', examples: [true] }),
  ),
  version: BasedOn,
})

const Webhook = Type.Object(
  {
    id: Type.Integer({ examples: [3] }),
    name: Name,
    host: Type.String({ description: 'Host of the address, with its port.', examples: ['hr.example.org'] }),
    kind: Kind,
    events: Events,
    include_names: IncludeNames,
    created_at: Timestamp,
    paused_at: nullable(Timestamp),
    pause_cause: Type.Unsafe<PauseCause | null>({
      type: ['string', 'null'],
      enum: [...PAUSE_CAUSES, null],
      description:
        '`hand`: an administrator; `faults`: the service, after attempts have failed for 24 hours; `restore`: the restore of a backup.',
    }),
    last_delivered_at: nullable(Timestamp),
    failing_since: nullable(Timestamp),
    next_attempt_at: nullable(Timestamp),
    waiting: Type.Integer({ description: 'Number of events that wait.', examples: [0] }),
    failed: Type.Integer({ description: 'Number of kept events in the state `failed`.', examples: [0] }),
    version: Type.Integer({ description: 'Starts at 1; each change adds 1.', examples: [1] }),
  },
  { title: 'Webhook' },
)

const Secret = Type.String({
  description: 'Key of the signatures by Standard Webhooks. No other response contains it.',
  examples: ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD1nKLUtZg2p0='],
})

const HELD = Type.Boolean({ description: 'Whether nothing is sent because of `SIMULATED_DATE`.' })

export const WebhookList = Type.Object({ webhooks: Type.Array(Webhook), held: HELD })
export const WebhookResponse = Type.Object({ webhook: Webhook })
export const WebhookCreated = Type.Object({ webhook: Webhook, secret: Secret })
export const WebhookChanged = Type.Object({ webhook: Webhook, secret: Type.Optional(Secret) })

export const DeliveryQuery = Type.Object(page({ maximum: 200, fallback: 50, cursor: 'int64' }))

const Status = nullable(Type.Integer({ description: 'Status code of the last response.', examples: [200] }))
const Fault = Type.Unsafe<DeliveryFault | null>({
  type: ['string', 'null'],
  enum: [...DELIVERY_FAULTS, null],
  description: `Why there was no response to the last attempt. \`address\`: \`WEBHOOK_ALLOW\` does not name its network;
\`restore\`: not sent, because a backup was restored while it waited.`,
})
const Answer = Type.String({
  description: 'First 1,024 characters of the response, or message of the system.',
  examples: ['ok'],
})

const Delivery = Type.Object(
  {
    id: Type.Integer({ examples: [170] }),
    message_id: Type.String({
      description: 'Sent as `webhook-id`, the same for each attempt.',
      examples: ['msg_4f2a9c1e-6b1d-4a6e-9a53-0f6f2f1f8f11'],
    }),
    type: Type.Unsafe<EventType>({
      type: 'string',
      enum: [...WEBHOOK_EVENTS, TEST_EVENT],
      examples: ['assignment.completed'],
    }),
    created_at: Timestamp,
    state: Type.Unsafe<DeliveryState>({
      type: 'string',
      enum: [...DELIVERY_STATES],
      description: '`failed`: the receiver has refused it, or a backup was restored; it is not sent again by itself.',
    }),
    attempts: Type.Integer({ examples: [1] }),
    attempted_at: nullable(Timestamp),
    status: Status,
    fault: Fault,
    answer: nullable(Answer),
    may_send_again: Type.Boolean({ description: 'Whether it can be sent again; false while it waits.' }),
  },
  { title: 'WebhookDelivery' },
)

export const DeliveryList = Type.Object({
  deliveries: Type.Array(Delivery),
  next_after: nullable(Type.Integer({ description: '`after` of the next page; null on the last page.' })),
})

export const WebhookSent = Type.Object({
  ok: Type.Boolean({ description: 'Whether the receiver has accepted the message.', examples: [true] }),
  status: Status,
  fault: Fault,
  answer: Answer,
  message: Type.String({
    description: 'The outcome as a German sentence.',
    examples: ['Der Empfänger hat die Nachricht angenommen (200)'],
  }),
})
