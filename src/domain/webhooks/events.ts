/** Events that other systems can be told, in display order */
export const WEBHOOK_EVENTS = [
  'assignment.assigned',
  'assignment.completed',
  'assignment.overdue',
  'proof.issued',
  'proof.revoked',
  'account.disabled',
  'content.published',
  'report.created',
] as const

export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number]

/** Type of the event that only tests an address */
export const TEST_EVENT = 'webhook.test'

export type EventType = WebhookEvent | typeof TEST_EVENT

/** A person in an event; `name` is added only for webhooks with `include_names`. */
export interface EventPerson {
  id: number
  external_id: string | null
  name?: string | null
}

interface EventOccurrence {
  id: number
  period: string
  /** Absent in events of certificates */
  due_on?: string
  completed_on?: string
}

interface EventAssignment {
  id: number
  title: string
  mandatory?: boolean
}

interface EventProof {
  id: number
  /** Opens the public page with the name of the person; only for webhooks with `include_names` */
  code?: string
  completed_on: string
  valid_until: string | null
  /** Id of the certificate that it replaces because of a name */
  replaces?: number
  revoked_at?: string
}

/** The field `data` of the body of an event, without names. Must never contain scores, points or answers. */
export interface EventData {
  person?: EventPerson
  occurrence?: EventOccurrence
  assignment?: EventAssignment
  /** Day of the list of overdue tasks */
  day?: string
  /** Number of persons of all parts of the list */
  persons?: number
  overdue?: { person: EventPerson; occurrence: EventOccurrence }[]
  proof?: EventProof
  disabled_on?: string
  content?: { kind: 'deck' | 'sheet' | 'test'; id: number; slug: string; title: string; version: number | null }
  report?: { id: number }
  card?: { id: number }
  deck?: { id: number; slug: string; title: string }
}

export interface StoredEvent {
  message_id: string
  type: EventType
  data: EventData
  created_at: Date
}

/** Body of a message */
export interface EventBody {
  type: EventType
  timestamp: string
  data: EventData
}

/** Maximum number of persons in one event about overdue tasks; keeps bodies below 64 kB with names and external ids */
export const OVERDUE_PERSONS = 100

/** Returns the ids of the persons in an event. */
export function personsOf({ person, overdue = [] }: EventData): number[] {
  return [...(person === undefined ? [] : [person.id]), ...overdue.map((one) => one.person.id)]
}

/**
 * Returns the body of an event.
 * @param names display names by id of the person; undefined for a webhook without `include_names`
 */
export function bodyOf(
  { type, created_at, data }: StoredEvent,
  names: ReadonlyMap<number, string> | undefined,
): EventBody {
  return {
    type,
    timestamp: created_at.toISOString(),
    data: names === undefined ? withoutCode(data) : named(data, names),
  }
}

function withoutCode({ proof, ...data }: EventData): EventData {
  if (proof === undefined) return data
  const { code: _, ...rest } = proof
  return { ...data, proof: rest }
}

function named({ person, overdue, ...data }: EventData, names: ReadonlyMap<number, string>): EventData {
  // The account of a person may have been deleted since.
  const name = (one: EventPerson): EventPerson => ({ ...one, name: names.get(one.id) ?? null })
  return {
    ...data,
    ...(person !== undefined && { person: name(person) }),
    ...(overdue !== undefined && { overdue: overdue.map((one) => ({ ...one, person: name(one.person) })) }),
  }
}

/** Returns the `webhook-id`, which stays the same when an event is sent again. */
export function messageIdOf({ message_id }: Pick<StoredEvent, 'message_id'>): string {
  return `msg_${message_id}`
}
