import { startAuthentication, startRegistration, WebAuthnAbortService, WebAuthnError } from '@simplewebauthn/browser'
import { type Answer, api } from '../api/client.js'
import { Fault } from '../api/faults.js'
import { enter } from './account.svelte.js'

/** Device or browser has brought no passkey. */
class NoPasskey extends Fault {
  readonly isPassing = true
}

/** The browser's own list was left, or another question took its place. */
const CALLED_OFF = new Set(['AbortError', 'NotAllowedError'])

const SENTENCES: Readonly<Record<string, string>> = {
  ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED: 'Auf diesem Gerät gibt es schon einen Passkey für dieses Konto.',
  ERROR_INVALID_DOMAIN: 'Passkeys gelten nur unter der Adresse, die für den Dienst eingerichtet ist.',
  ERROR_INVALID_RP_ID: 'Passkeys gelten nur unter der Adresse, die für den Dienst eingerichtet ist.',
  ERROR_AUTHENTICATOR_MISSING_DISCOVERABLE_CREDENTIAL_SUPPORT: 'Dieses Gerät kann keine Passkeys aufbewahren.',
  ERROR_AUTHENTICATOR_MISSING_USER_VERIFICATION_SUPPORT:
    'Dieses Gerät prüft nicht, wer es benutzt. Richte zuerst PIN, Finger oder Gesicht ein.',
}

/** The browser asks one thing at a time: what was only offered must not take the place of what was asked for. */
let isAsking = false

/** Logs in by a passkey that the person chooses; so it also proves again who it is. @throws Fault */
export async function logInByPasskey(): Promise<void> {
  isAsking = true
  try {
    const optionsJSON = await api.post('/api/auth/passkeys/login-options')
    const credential = await ask(() => startAuthentication({ optionsJSON: optionsJSON as never }))
    await enter(() => api.post('/api/auth/passkeys/login', { body: { credential } }))
  } finally {
    isAsking = false
  }
}

/**
 * Lets the browser offer passkeys where the user name is typed, until one is chosen or `logInByPasskey` asks; does
 * nothing where browsers cannot. @throws Fault when the one that was chosen did not work
 */
export async function offerPasskeys(): Promise<void> {
  const { isConditionalMediationAvailable } = PublicKeyCredential
  if (!(await isConditionalMediationAvailable?.call(PublicKeyCredential))) return
  const optionsJSON = await api.post('/api/auth/passkeys/login-options').catch(() => undefined)
  if (optionsJSON === undefined || isAsking) return
  // Nobody has asked for it, so its end needs no word.
  const credential = await startAuthentication({ optionsJSON: optionsJSON as never, useBrowserAutofill: true }).catch(
    () => undefined,
  )
  if (credential === undefined) return
  await enter(() => api.post('/api/auth/passkeys/login', { body: { credential } }))
}

/** Takes back what `offerPasskeys` has asked of the browser. */
export function stopOffering(): void {
  WebAuthnAbortService.cancelCeremony()
}

/** Makes a passkey on this device or another one. @throws Fault */
export async function createPasskey(name: string): Promise<Answer<'/api/auth/passkeys', 'post'>> {
  const optionsJSON = await api.post('/api/auth/passkeys/options')
  const credential = await ask(() => startRegistration({ optionsJSON: optionsJSON as never }))
  return api.post('/api/auth/passkeys', { body: { name, credential } })
}

async function ask<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new NoPasskey(sentenceFor(error as Error))
  }
}

function sentenceFor(error: Error): string {
  const known = error instanceof WebAuthnError ? SENTENCES[error.code] : undefined
  if (known !== undefined) return known
  return CALLED_OFF.has(error.name)
    ? 'Es wurde kein Passkey benutzt: abgebrochen, oder die Zeit war um.'
    : 'Dieser Browser kommt mit dem Passkey nicht zurecht.'
}
