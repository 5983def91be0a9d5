/**
 * Reasons for a failed sign-in, as codes in `/anmelden?fehler=…`. The page shows a text for each code; the log has the
 * details.
 */
export const SIGN_IN_FAULTS = {
  nicht_eingerichtet: 'no provider is configured',
  nicht_erreichbar: 'the provider does not respond, or not with valid OpenID Connect',
  abgelaufen: 'started more than ten minutes ago, in another browser, or finished already',
  abgebrochen: 'the person or the provider has declined',
  anbieter: 'the provider returns an error',
  ungueltig: 'the response of the provider is invalid: signature, issuer, audience, nonce or times',
  kein_name: 'the provider sends no user name',
  name_ungueltig: 'the user name is too long or contains invalid characters',
  name_vergeben: 'an account of this name exists and is not linked',
  nicht_angelegt: 'there is no account for this person, and none is created',
  nicht_angemeldet: 'linking or confirming without a logged-in user',
  erneut_anmelden: 'linking requires a login within the last ten minutes',
  schon_verknuepft: 'linking an identity that belongs to another account',
  andere_person: 'confirming as another person than the logged-in user',
  zu_viele: 'too many sign-ins from this address within ten seconds',
  gestoert: 'the service failed; the log has the error',
  nicht_bestaetigt: 'confirming, but the provider did not authenticate again or sent no auth_time',
} as const

export type SignInFaultCode = keyof typeof SIGN_IN_FAULTS

/** A refused sign-in. The message is the reason for the log and contains no token, code or secret. */
export class SignInFault extends Error {
  readonly code: SignInFaultCode

  constructor(code: SignInFaultCode, reason: string = SIGN_IN_FAULTS[code]) {
    super(reason)
    this.code = code
  }
}
