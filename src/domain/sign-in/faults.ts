/**
 * Why a sign-in by the provider came to nothing: the code in `/anmelden?fehler=…`, which the page words, and what the
 * code means. The log has the reason itself.
 */
export const SIGN_IN_FAULTS = {
  nicht_eingerichtet: 'no provider is configured',
  nicht_erreichbar: 'the provider does not answer, or not as a provider does',
  abgelaufen: 'begun more than ten minutes ago, in another browser, or finished already',
  abgebrochen: 'the person, or the provider for the person, has declined',
  anbieter: 'the provider answers with an error of its own',
  ungueltig: 'what the provider has sent does not hold: signature, issuer, audience, nonce, times',
  kein_name: 'the provider names no user name for this person',
  name_ungueltig: 'the user name is too long, or holds characters that no name may hold',
  name_vergeben: 'an account of this name exists and is not linked',
  nicht_angelegt: 'there is no account for this person, and none is made',
  nicht_angemeldet: 'linking or confirming, and nobody is logged in any more',
  erneut_anmelden: 'linking needs a login younger than ten minutes',
  schon_verknuepft: 'linking, and this person of the provider belongs to another account',
  andere_person: 'confirming, and it was another person than the one who is logged in',
  nicht_bestaetigt: 'confirming, and the provider has not asked anew, or does not say when it did',
} as const

export type SignInFaultCode = keyof typeof SIGN_IN_FAULTS

/** A sign-in by the provider is refused. The message is the reason, for the log: no token, code or secret. */
export class SignInFault extends Error {
  readonly code: SignInFaultCode

  constructor(code: SignInFaultCode, reason: string = SIGN_IN_FAULTS[code]) {
    super(reason)
    this.code = code
  }
}
