import { Refusal } from '../refusal.js'

export const WEBHOOK_NOT_FOUND = new Refusal('not_found', 'webhook_not_found', 'Diesen Webhook gibt es nicht')
export const DELIVERY_NOT_FOUND = new Refusal('not_found', 'delivery_not_found', 'Diese Zustellung gibt es nicht mehr')
export const DELIVERY_WAITING = new Refusal(
  'conflict',
  'delivery_waiting',
  'Dieses Ereignis wartet noch und wird von selbst gesendet',
)
export const TOO_MANY_WEBHOOKS = new Refusal('conflict', 'too_many_webhooks', 'Mehr als 50 Webhooks gehen nicht')
/** Messages are held while the service runs with a simulated date, because it then has a copy of the data. */
export const WEBHOOKS_HELD = new Refusal(
  'conflict',
  'webhooks_held',
  'Mit einem simulierten Datum sendet der Dienst nichts an andere Systeme',
)
