import { createHmac, randomBytes } from 'node:crypto'

const SECRET_BYTES = 32
const PREFIX = 'whsec_'

export function createWebhookSecret(): Buffer {
  return randomBytes(SECRET_BYTES)
}

/** Returns the secret in the form of Standard Webhooks: `whsec_` and Base64. */
export function showWebhookSecret(secret: Buffer): string {
  return `${PREFIX}${secret.toString('base64')}`
}

/**
 * Returns the headers with the signature of a message by Standard Webhooks. The id stays the same when a message is
 * repeated; the time is that of the attempt.
 */
export function signMessage(
  secret: Buffer,
  { id, at, body }: { id: string; at: Date; body: string },
): Record<string, string> {
  const timestamp = Math.floor(at.getTime() / 1_000)
  const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': `v1,${signature}` }
}
