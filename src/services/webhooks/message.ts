import type { Target } from '../../../db/queries/webhooks/outbox.js'
import type { Language } from '../../domain/text/language.js'
import { bodyOf, messageIdOf, personsOf, type StoredEvent } from '../../domain/webhooks/events.js'
import { signMessage } from '../../domain/webhooks/signature.js'
import { teamsMessage } from '../../domain/webhooks/teams-card.js'
import type { Message } from './post.js'

export interface MessageSettings {
  /** Language of the cards for Teams */
  defaultLanguage: Language
  /** Public address of the service; undefined if not configured */
  publicUrl?: string | undefined
}

/**
 * Returns the signed message of an event for a webhook.
 * @param names display names by id of the person; used only for a webhook with `include_names`
 */
export function writeMessage(
  { kind, include_names, secret }: Pick<Target, 'kind' | 'include_names' | 'secret'>,
  event: StoredEvent,
  names: ReadonlyMap<number, string>,
  { defaultLanguage, publicUrl }: MessageSettings,
): Message {
  const told = bodyOf(event, include_names ? names : undefined)
  const body = JSON.stringify(kind === 'teams' ? teamsMessage(told, defaultLanguage, publicUrl) : told)
  // The real time, because receivers refuse a message whose time is not the current one.
  return { headers: signMessage(secret, { id: messageIdOf(event), at: new Date(), body }), body }
}

export function personsIn(events: readonly StoredEvent[]): number[] {
  return events.flatMap(({ data }) => personsOf(data))
}
