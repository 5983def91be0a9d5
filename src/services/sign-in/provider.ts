import { createRemoteJWKSet, errors, type JWTVerifyOptions, type JWTVerifyResult, jwtVerify } from 'jose'
import * as client from 'openid-client'
import { type Claims, isComplete, readProviderSession } from '../../domain/sign-in/claims.js'
import { SignInFault } from '../../domain/sign-in/faults.js'
import { type OidcSettings, SKEW_SECONDS } from '../../domain/sign-in/settings.js'
import { isStorable } from '../../domain/text/text.js'
import { explain } from './explain.js'

/** What the provider says of itself is asked for again after this time. */
const METADATA_MS = 10 * 60_000
const TIMEOUT_SECONDS = 5
const MAX_SUBJECT = 255
/** No secret that two share, and not `none`, whatever the provider's metadata say. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512'],
  ...['EdDSA', 'Ed25519'],
]

/** What a sign-in must remember until the provider sends the person back. */
export interface Challenge {
  state: string
  nonce: string
  verifier: string
}

/** Who has come back from the provider. */
export interface ProvenPerson {
  issuer: string
  subject: string
  /** What the provider calls its session. */
  session: string | undefined
  /** When the provider has last asked for a proof; undefined when it does not say. */
  authenticatedAt: Date | undefined
  claims: Claims
}

interface Known {
  configuration: client.Configuration
  issuer: string
  keys: ReturnType<typeof createRemoteJWKSet>
  endSessionEndpoint: string | undefined
  since: number
}

/**
 * The provider of OpenID Connect. It is asked about itself when somebody first needs it and again later: whether it is
 * up when the service starts does not matter, and after a failure the next person asks anew.
 */
export class Provider {
  readonly settings: OidcSettings
  readonly #redirectUri: string
  readonly #isInsecure: boolean
  #known: Known | undefined
  #discovery: Promise<Known> | undefined

  /** @param redirectUri where the provider sends people back to */
  constructor(settings: OidcSettings, redirectUri: string) {
    this.settings = settings
    this.#redirectUri = redirectUri
    // Only of this machine: `checkIssuer`.
    this.#isInsecure = settings.issuer.startsWith('http:')
  }

  /** A new challenge, and where to send the person with it. @throws SignInFault when the provider is not reachable */
  async begin({ askAnew }: { askAnew: boolean }): Promise<{ challenge: Challenge; url: string }> {
    const { configuration } = await this.#find()
    const challenge = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
    }
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: this.#redirectUri,
      scope: this.settings.scopes,
      state: challenge.state,
      nonce: challenge.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(challenge.verifier),
      code_challenge_method: 'S256',
      ...(askAnew && { max_age: '0' }),
    })
    return { challenge, url: url.href }
  }

  /**
   * Judges what the provider has sent with the person.
   * @param query of the callback, with `?`
   * @throws SignInFault whose message is the reason
   */
  async finish(query: string, { state, nonce, verifier }: Challenge): Promise<ProvenPerson> {
    const known = await this.#find()
    const url = new URL(this.#redirectUri)
    url.search = query
    const hidden = [verifier, url.searchParams.get('code') ?? '', this.settings.clientSecret]
    try {
      const tokens = await client.authorizationCodeGrant(known.configuration, url, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      })
      const claims = tokens.claims() as client.IDToken
      await this.#verifySignature(known, tokens.id_token as string)
      return {
        issuer: claims.iss,
        subject: readSubject(claims.sub),
        session: readProviderSession(claims.sid),
        authenticatedAt: claims.auth_time === undefined ? undefined : new Date(claims.auth_time * 1000),
        claims: await this.#complete(known, claims, tokens.access_token),
      }
    } catch (error) {
      throw explain(error, hidden)
    }
  }

  /**
   * Verifies who has signed a logout token, for whom and when; what it says is for the caller to judge.
   * @throws SignInFault when it is none of the provider's for us or older than that age, or the provider is not reachable
   */
  async verifyLogoutToken(token: string, maxAgeSeconds: number): Promise<JWTVerifyResult> {
    const { keys, issuer } = await this.#find()
    return jwtVerify(token, keys, {
      ...this.#expectedOf(issuer),
      maxTokenAge: maxAgeSeconds,
      requiredClaims: ['jti', 'events'],
    }).catch((error) => {
      throw explain(error, [token])
    })
  }

  /** Where the person ends the provider's session; undefined when the provider has no such page, or is down. */
  async logoutUrl(): Promise<string | undefined> {
    const { endSessionEndpoint } = await this.#find().catch(() => ({ endSessionEndpoint: undefined }))
    if (endSessionEndpoint === undefined) return undefined
    const url = new URL(endSessionEndpoint)
    url.searchParams.set('client_id', this.settings.clientId)
    return url.href
  }

  /** What the provider says of itself. @throws SignInFault when it is not reachable and has never been */
  async #find(): Promise<Known> {
    if (this.#known !== undefined && performance.now() - this.#known.since < METADATA_MS) return this.#known
    // Everybody who comes meanwhile waits for the same answer.
    this.#discovery ??= this.#discover().finally(() => {
      this.#discovery = undefined
    })
    try {
      this.#known = await this.#discovery
    } catch (error) {
      if (this.#known === undefined) throw error
    }
    return this.#known
  }

  async #discover(): Promise<Known> {
    const { issuer, clientId, clientSecret } = this.settings
    try {
      const configuration = await client.discovery(
        new URL(issuer),
        clientId,
        { client_secret: clientSecret, [client.clockTolerance]: SKEW_SECONDS },
        authenticate,
        { timeout: TIMEOUT_SECONDS, execute: this.#isInsecure ? [client.allowInsecureRequests] : [] },
      )
      const metadata = configuration.serverMetadata()
      return {
        configuration,
        issuer: metadata.issuer,
        keys: createRemoteJWKSet(this.#secureUrl(metadata.jwks_uri), { timeoutDuration: TIMEOUT_SECONDS * 1000 }),
        endSessionEndpoint: metadata.end_session_endpoint && this.#secureUrl(metadata.end_session_endpoint).href,
        since: performance.now(),
      }
    } catch (error) {
      throw new SignInFault('nicht_erreichbar', `discovery: ${explain(error, [clientSecret]).message}`)
    }
  }

  #secureUrl(text: string | undefined): URL {
    const url = new URL(text ?? 'missing:')
    if (url.protocol === 'https:' || (this.#isInsecure && url.protocol === 'http:')) return url
    throw new SignInFault('nicht_erreichbar', 'an address in the metadata is missing or not https')
  }

  /** The library leaves the signature to TLS; we look at it, and ask for new keys when the provider has changed them. */
  async #verifySignature({ keys, issuer }: Known, idToken: string): Promise<void> {
    const verify = () => jwtVerify(idToken, keys, this.#expectedOf(issuer))
    await verify().catch(async (error) => {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      await keys.reload()
      await verify()
    })
  }

  #expectedOf(issuer: string): JWTVerifyOptions {
    return { issuer, audience: this.settings.clientId, algorithms: ALGORITHMS, clockTolerance: SKEW_SECONDS }
  }

  /** Claims of names and rights may come with the token or have to be asked for; those of the token count. */
  async #complete(known: Known, claims: client.IDToken, accessToken: string): Promise<Claims> {
    const hasMore = known.configuration.serverMetadata().userinfo_endpoint !== undefined
    if (!hasMore || isComplete(claims, this.settings.claims)) return claims
    return { ...(await client.fetchUserInfo(known.configuration, accessToken, claims.sub)), ...claims }
  }
}

/** OpenID Connect Core 1.0, 2, allows no more. @throws SignInFault when it cannot be stored */
function readSubject(subject: string): string {
  if (subject.length > MAX_SUBJECT) throw new SignInFault('ungueltig', `the subject is longer than ${MAX_SUBJECT}`)
  if (!isStorable(subject)) throw new SignInFault('ungueltig', 'the subject holds what cannot be stored')
  return subject
}

/** As the provider wants it; what it does not say is what OpenID Connect assumes. */
const authenticate: client.ClientAuth = (server, metadata, body, headers) => {
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  const method = methods.includes('client_secret_basic') ? client.ClientSecretBasic() : client.ClientSecretPost()
  return method(server, metadata, body, headers)
}
