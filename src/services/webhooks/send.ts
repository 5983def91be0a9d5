import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import {
  deleteOldDeliveries,
  findNames,
  holdLane,
  listDueWebhooks,
  listWaiting,
  type OutgoingEvent,
  postponeEvent,
  releaseLane,
  settleEvent,
  type Target,
  takeLane,
} from '../../../db/queries/webhooks/outbox.js'
import type { Database } from '../../../db/types.js'
import { judge, retryDelay } from '../../domain/webhooks/delivery.js'
import type { AddressRules } from '../../domain/webhooks/networks.js'
import { type MessageSettings, personsIn, writeMessage } from './message.js'
import { openReceiver, type Receiver, type ResolveName } from './post.js'

/** Number of waiting events that are read at once */
const EVENTS_AT_ONCE = 50
/** Number of settled events that are kept for each webhook */
export const KEPT_DELIVERIES = 100
/** Time left to complete a message that is being sent when the service stops */
const STOP_MS = 5_000
/** Time left to store the outcome of a message that was cut off */
const STORE_MS = 1_000

export interface SenderContext extends MessageSettings {
  rules: AddressRules
  /** Resolves names; default: the system */
  resolveName?: ResolveName | undefined
  /** Reports that a webhook was paused after failing for a day. */
  onPaused: (facts: { webhook: number }) => void
  /** Reports an error of the service, such as a lost connection to the database. */
  onError: (error: unknown, facts: Record<string, unknown>) => void
}

/** Sends the events of all webhooks. Each webhook has a lane of its own, so that a slow receiver delays no other. */
export interface Sender {
  /** Starts to send for each webhook that is due, unless its lane is active already. */
  run(): Promise<void>
  /** Resolves when no lane is active. */
  idle(): Promise<void>
  /** Starts no further message. Resolves when the current ones are settled, after at most `STOP_MS` and `STORE_MS`. */
  stop(): Promise<void>
}

export function createSender(db: Kysely<Database>, context: SenderContext): Sender {
  const lanes = new Map<number, Promise<void>>()
  const stopping = new AbortController()
  const cutting = new AbortController()

  const start = (id: number) => {
    const lane = sendLane(db, id, { ...context, stopping: stopping.signal, cutting: cutting.signal })
      .catch((error) => {
        // The lease of the lane expires, or it was released; the next run tries again.
        if (!cutting.signal.aborted) context.onError(error, { webhook: id })
      })
      .finally(() => lanes.delete(id))
    lanes.set(id, lane)
  }
  const idle = async () => {
    while (lanes.size > 0) await Promise.all(lanes.values())
  }
  return {
    async run() {
      if (stopping.signal.aborted) return
      for (const id of await listDueWebhooks(db)) if (!lanes.has(id)) start(id)
    },
    idle,
    async stop() {
      stopping.abort(new Error('the service stops'))
      const isIdle = new AbortController()
      const bound = async () => {
        await setTimeout(STOP_MS, undefined, { signal: isIdle.signal })
        cutting.abort(new Error('the service stops'))
        await setTimeout(STORE_MS, undefined, { signal: isIdle.signal })
      }
      await Promise.race([idle(), bound()])
      isIdle.abort()
    },
  }
}

interface LaneContext extends SenderContext {
  stopping: AbortSignal
  cutting: AbortSignal
}

/** Sends the waiting events of a webhook in their order, until none waits or one must be repeated later. */
async function sendLane(db: Kysely<Database>, id: number, context: LaneContext): Promise<void> {
  const lease = randomUUID()
  let target = await takeLane(db, id, lease)
  if (target === undefined) return
  const connection = reuseReceiver(context)
  try {
    for (;;) {
      const events = await listWaiting(db, id, EVENTS_AT_ONCE)
      if (events.length === 0) return
      // Reading took time, and the settings may have changed.
      target = await holdLane(db, id, lease)
      for (const event of events) {
        if (target === undefined || context.stopping.aborted) return
        target = await sendEvent(db, target, event, { lease, context, connection })
      }
      await deleteOldDeliveries(db, id, KEPT_DELIVERIES)
      if (target === undefined) return
    }
  } finally {
    connection.close()
    await releaseLane(db, id, lease)
  }
}

interface Sending {
  lease: string
  context: LaneContext
  connection: ReturnType<typeof reuseReceiver>
}

/** Sends one event and stores the outcome. Returns the settings for the next event; undefined if none may follow. */
async function sendEvent(
  db: Kysely<Database>,
  target: Target,
  event: OutgoingEvent,
  { lease, context, connection }: Sending,
): Promise<Target | undefined> {
  // Looked up for each event, because `include_names` may have changed since the last one.
  const names = target.include_names ? await findNames(db, personsIn([event])) : new Map<number, string>()
  const message = writeMessage(target, event, names, context)
  const outcome = await connection.to(target).post(message, context.cutting)
  const verdict = judge(outcome)
  const attempt = { webhookId: target.id, lease, eventId: event.id, outcome }
  if (verdict !== 'later') return settleEvent(db, attempt, verdict)
  const isPaused = await postponeEvent(db, attempt, retryDelay(target.faults + 1, outcome.retryAfter))
  if (isPaused) context.onPaused({ webhook: target.id })
  return undefined
}

/** Keeps the connection to a receiver until the address of the webhook changes. */
function reuseReceiver({ rules, resolveName }: SenderContext) {
  let open: { url: string; receiver: Receiver } | undefined
  const close = () => open?.receiver.close()
  return {
    to({ url }: Pick<Target, 'url'>): Receiver {
      if (open?.url === url) return open.receiver
      close()
      open = { url, receiver: openReceiver(new URL(url), rules, resolveName) }
      return open.receiver
    },
    close,
  }
}
