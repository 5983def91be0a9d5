import { startAuthentication, startRegistration, WebAuthnAbortService, WebAuthnError } from '@simplewebauthn/browser'
import { api } from '../api/client.js'
import { Fault } from '../api/faults.js'
import type { ResponseBody } from '../api/types.js'
import { enter } from './account.svelte.js'

class NoPasskey extends Fault {
  readonly isPassing = true
}

/** Names of the errors thrown when the prompt is closed, times out or is replaced by another request */
const CANCEL_ERRORS = new Set(['AbortError', 'NotAllowedError'])

const SENTENCES: Readonly<Record<string, string>> = {
  ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED: 'Auf diesem Gerät gibt es schon einen Passkey für dieses Konto.',
  ERROR_INVALID_DOMAIN: 'Passkeys gelten nur unter der Adresse, die für den Dienst eingerichtet ist.',
  ERROR_INVALID_RP_ID: 'Passkeys gelten nur unter der Adresse, die für den Dienst eingerichtet ist.',
  ERROR_AUTHENTICATOR_MISSING_DISCOVERABLE_CREDENTIAL_SUPPORT: 'Dieses Gerät kann keine Passkeys aufbewahren.',
  ERROR_AUTHENTICATOR_MISSING_USER_VERIFICATION_SUPPORT:
    'Dieses Gerät prüft nicht, wer es benutzt. Richte zuerst PIN, Finger oder Gesicht ein.',
}

/** Whether `logInByPasskey` is running. The browser shows one prompt at a time, so no autofill offer may start then. */
let isPrompting = false

/**
 * Logs in with a passkey, which also counts as a recent login.
 * @throws Fault if the prompt is closed or fails, or if a request fails
 */
export async function logInByPasskey(): Promise<void> {
  isPrompting = true
  try {
    const optionsJSON = await api.post('/api/auth/passkeys/login-options')
    const credential = await prompt(() => startAuthentication({ optionsJSON }))
    await enter(() => api.post('/api/auth/passkeys/login', { body: { credential }, asksLogin: false }))
  } finally {
    isPrompting = false
  }
}

/**
 * Offers passkeys in the autofill of the user name until the user chooses one, or until `logInByPasskey` or
 * `stopOffering` ends the offer. Does nothing in browsers without support, or if the request for the options fails.
 * @throws Fault if the login with the chosen passkey fails
 */
export async function offerPasskeys(): Promise<void> {
  const { isConditionalMediationAvailable } = PublicKeyCredential
  if (!(await isConditionalMediationAvailable?.call(PublicKeyCredential))) return
  const optionsJSON = await api.post('/api/auth/passkeys/login-options').catch(() => undefined)
  if (optionsJSON === undefined || isPrompting) return
  // Shows no message if the autofill prompt fails, because the user did not request it.
  const credential = await startAuthentication({ optionsJSON, useBrowserAutofill: true }).catch(() => undefined)
  if (credential === undefined) return
  await enter(() => api.post('/api/auth/passkeys/login', { body: { credential }, asksLogin: false }))
}

/** Ends the offer of `offerPasskeys` and any other passkey prompt. */
export function stopOffering(): void {
  WebAuthnAbortService.cancelCeremony()
}

/**
 * Creates a passkey on this or another device.
 * @throws Fault if the prompt is closed or fails, or if a request fails
 */
export async function createPasskey(name: string): Promise<ResponseBody<'/api/auth/passkeys', 'post'>> {
  const optionsJSON = await api.post('/api/auth/passkeys/options')
  const credential = await prompt(() => startRegistration({ optionsJSON }))
  return api.post('/api/auth/passkeys', { body: { name, credential } })
}

async function prompt<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new NoPasskey(sentenceFor(error as Error))
  }
}

function sentenceFor(error: Error): string {
  const known = error instanceof WebAuthnError ? SENTENCES[error.code] : undefined
  if (known !== undefined) return known
  return CANCEL_ERRORS.has(error.name)
    ? 'Es wurde kein Passkey benutzt: abgebrochen, oder die Zeit war um.'
    : 'Dieser Browser kommt mit dem Passkey nicht zurecht.'
}
