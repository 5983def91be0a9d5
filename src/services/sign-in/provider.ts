import { createRemoteJWKSet, customFetch, errors, type JWTVerifyOptions, type JWTVerifyResult, jwtVerify } from 'jose'
import * as client from 'openid-client'
import { type Claims, isComplete, readAuthTime, readProviderSession } from '../../domain/sign-in/claims.js'
import { SignInFault } from '../../domain/sign-in/faults.js'
import type { OidcSettings } from '../../domain/sign-in/settings.js'
import { SKEW_SECONDS } from '../../domain/sign-in/skew.js'
import { isStorable } from '../../domain/text/text.js'
import { boundedFetch } from './bounded-fetch.js'
import { explain } from './explain.js'

const METADATA_MS = 10 * 60_000
/** Minimum time between two requests of `isReachable` in milliseconds */
const PROBE_MS = 30_000
const TIMEOUT_SECONDS = 5
const MAX_SUBJECT = 255
/** Accepted signature algorithms: only asymmetric algorithms, regardless of the metadata of the provider */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512'],
  ...['EdDSA', 'Ed25519'],
]

/** Secrets of a sign-in, needed to verify the provider's callback. */
export interface Challenge {
  state: string
  nonce: string
  verifier: string
}

export interface ProvenPerson {
  issuer: string
  subject: string
  /** Session id at the provider; undefined if the ID token does not contain one */
  session: string | undefined
  /** Time of the person's last authentication by the provider; undefined if the ID token does not contain the time */
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
 * The OpenID Connect provider. Its metadata are fetched on first use, so the service can start while the provider is
 * down. The metadata are refreshed after `METADATA_MS`; the next call that needs them retries a failed refresh.
 */
export class Provider {
  readonly settings: OidcSettings
  readonly #redirectUri: string
  readonly #isInsecure: boolean
  #known: Known | undefined
  #discovery: Promise<Known> | undefined
  #isReachable: Promise<boolean> | undefined
  #probedAt = 0

  constructor(settings: OidcSettings, redirectUri: string) {
    this.settings = settings
    this.#redirectUri = redirectUri
    // `checkIssuer` accepts `http:` only for an issuer on this machine.
    this.#isInsecure = settings.issuer.startsWith('http:')
  }

  get ownOrigin(): string {
    return new URL(this.#redirectUri).origin
  }

  /**
   * Creates a challenge and the URL to which the browser is redirected.
   * @param options forceLogin: whether the provider must authenticate the person again; isSilent: whether the provider
   * must show no page, and returns an error if it needs one
   * @throws SignInFault if the provider is not reachable
   */
  async begin({
    forceLogin = false,
    isSilent = false,
  }: {
    forceLogin?: boolean
    isSilent?: boolean
  }): Promise<{ challenge: Challenge; url: string }> {
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
      ...(forceLogin && { max_age: '0' }),
      ...(isSilent && { prompt: 'none' }),
    })
    return { challenge, url: url.href }
  }

  /**
   * Verifies the provider's callback and returns the authenticated person.
   * @param query query string of the callback, with `?`
   * @throws SignInFault with the reason if the provider reports an error, is not reachable, or sends an invalid response
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
      this.#checkParty(claims)
      return {
        issuer: claims.iss,
        subject: readSubject(claims.sub),
        session: readProviderSession(claims.sid),
        authenticatedAt: readAuthTime(claims.auth_time, new Date()),
        claims: await this.#complete(known, claims, tokens.access_token),
      }
    } catch (error) {
      throw explain(error, hidden)
    }
  }

  /**
   * Verifies signature, issuer, audience and age of a logout token. The caller must check its other claims.
   * @throws SignInFault if the token is invalid or the provider is not reachable
   */
  async verifyLogoutToken(token: string, maxAgeSeconds: number): Promise<JWTVerifyResult> {
    const { keys, issuer } = await this.#find()
    const verify = () =>
      jwtVerify(token, keys, {
        ...this.#expectedOf(issuer),
        maxTokenAge: maxAgeSeconds,
        requiredClaims: ['jti', 'events'],
      })
    return verify()
      .catch(async (error) => {
        // The request is not authenticated, so the keys are refetched at most once in 30 seconds.
        if (!mayHaveOtherKeys(error) || keys.coolingDown) throw error
        await keys.reload()
        return verify()
      })
      .catch((error) => {
        throw explain(error, [token])
      })
  }

  /**
   * Returns whether the provider answered the last request for its metadata. Sends one at most every `PROBE_MS`; only
   * the first caller waits for it. Never throws.
   */
  isReachable(): Promise<boolean> {
    const now = performance.now()
    if (this.#isReachable !== undefined && now - this.#probedAt <= PROBE_MS) return this.#isReachable
    this.#probedAt = now
    const next = this.#discover().then(
      () => true,
      () => false,
    )
    const last = this.#isReachable
    this.#isReachable = last ?? next
    // Later callers get the former result until the new one is known.
    void next.then(() => {
      this.#isReachable = next
    })
    return this.#isReachable
  }

  /** Returns the URL that ends the provider's session; undefined if there is no such URL or no metadata. */
  async logoutUrl(): Promise<string | undefined> {
    const { endSessionEndpoint } = await this.#find().catch(() => ({ endSessionEndpoint: undefined }))
    if (endSessionEndpoint === undefined) return undefined
    const url = new URL(endSessionEndpoint)
    url.searchParams.set('client_id', this.settings.clientId)
    return url.href
  }

  /** Returns the provider's metadata, even outdated ones if a refresh fails. @throws SignInFault if there are none */
  async #find(): Promise<Known> {
    if (this.#known !== undefined && performance.now() - this.#known.since < METADATA_MS) return this.#known
    // Concurrent callers share one request.
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
        {
          timeout: TIMEOUT_SECONDS,
          execute: this.#isInsecure ? [client.allowInsecureRequests] : [],
          [client.customFetch]: boundedFetch,
        },
      )
      const metadata = configuration.serverMetadata()
      // The library checks only URLs that it requests itself, not the URL to which the browser is redirected.
      this.#secureUrl(metadata.authorization_endpoint)
      return {
        configuration,
        issuer: metadata.issuer,
        keys: createRemoteJWKSet(this.#secureUrl(metadata.jwks_uri), {
          timeoutDuration: TIMEOUT_SECONDS * 1000,
          [customFetch]: boundedFetch,
        }),
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

  /**
   * Verifies the signature of the ID token, which the library does not check because the token comes over TLS. If no
   * key fits, fetches the keys again once, because the provider may have rotated them, possibly under the same `kid`.
   */
  async #verifySignature({ keys, issuer }: Known, idToken: string): Promise<void> {
    const verify = () => jwtVerify(idToken, keys, this.#expectedOf(issuer))
    await verify().catch(async (error) => {
      if (!mayHaveOtherKeys(error)) throw error
      await keys.reload()
      await verify()
    })
  }

  /**
   * Checks the claims of the ID token that the library does not check.
   * @throws SignInFault if the token belongs to another client or was issued in the future
   */
  #checkParty({ azp, iat }: client.IDToken): void {
    if (azp !== undefined && azp !== this.settings.clientId) {
      throw new SignInFault('ungueltig', 'the "azp" is another client')
    }
    if (iat > Date.now() / 1000 + SKEW_SECONDS) throw new SignInFault('ungueltig', 'the "iat" is in the future')
  }

  #expectedOf(issuer: string): JWTVerifyOptions {
    return { issuer, audience: this.settings.clientId, algorithms: ALGORITHMS, clockTolerance: SKEW_SECONDS }
  }

  /**
   * Returns the claims of the ID token. If a configured claim is missing, adds those of the userinfo endpoint; claims
   * of the token take precedence.
   */
  async #complete(known: Known, claims: client.IDToken, accessToken: string): Promise<Claims> {
    const hasMore = known.configuration.serverMetadata().userinfo_endpoint !== undefined
    if (!hasMore || isComplete(claims, this.settings.claims)) return claims
    return { ...(await client.fetchUserInfo(known.configuration, accessToken, claims.sub)), ...claims }
  }
}

function mayHaveOtherKeys(error: unknown): boolean {
  return error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWSSignatureVerificationFailed
}

/** @throws SignInFault if the subject is empty, too long (OpenID Connect Core 1.0, 2), or cannot be stored */
function readSubject(subject: string): string {
  if (subject === '') throw new SignInFault('ungueltig', 'the subject is empty')
  if (subject.length > MAX_SUBJECT) throw new SignInFault('ungueltig', `the subject is longer than ${MAX_SUBJECT}`)
  if (!isStorable(subject)) throw new SignInFault('ungueltig', 'the subject holds what cannot be stored')
  return subject
}

/**
 * Authenticates with `client_secret_basic` if the provider supports this method or lists no methods, otherwise with
 * `client_secret_post`.
 */
const authenticate: client.ClientAuth = (server, metadata, body, headers) => {
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  const method = methods.includes('client_secret_basic') ? client.ClientSecretBasic() : client.ClientSecretPost()
  return method(server, metadata, body, headers)
}
