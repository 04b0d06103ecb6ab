import {
  allowAddresses,
  createGuardedFetch,
  createOutboundPolicy,
  OutboundFailed,
  OutboundRefused,
} from '@hearth/outbound'
import type { OutboundAllow, PolicyOptions } from '@hearth/outbound'
import type { Clock } from '@hearth/runtime'
import type { Configuration, CustomFetch } from 'openid-client'
import type { Claims } from './identity.ts'
import type { Flow } from './flow.ts'
import { OpenIdError } from './openid-error.ts'
import { readClientSecret, type OpenIdConfig } from './settings.ts'

/** Dependencies of a provider's client. */
export interface ProviderDependencies {
  readonly config: OpenIdConfig
  readonly redirectUri: string
  readonly clock: Clock
  /** Destinations that the operator exempts from the guard; the issuer is one by being configured. */
  readonly allow: OutboundAllow
  /** Looks the provider's host up; undefined for the system's resolver. */
  readonly resolver?: PolicyOptions['resolver'] | undefined
}

/** The OpenID Connect provider as this service uses it. */
export type Provider = ReturnType<typeof createProvider>

/** Time after which the provider's description is read again, milliseconds. */
const discoveryAge = 3_600_000
/** Seconds by which the clocks of the provider and of this machine may differ. */
const clockTolerance = 60
const timeoutSeconds = 10
const maxAnswer = 1024 * 1024

const loadClient = () => import('openid-client')

/** Creates the client of a provider. The library is loaded, and the provider asked, when somebody signs in. */
export function createProvider(dependencies: ProviderDependencies) {
  const { config, redirectUri, clock } = dependencies
  const secret = readClientSecret(config)
  let known: { readonly configuration: Promise<Configuration>; readonly until: number } | undefined

  async function configuration(): Promise<Configuration> {
    if (known === undefined || known.until <= clock.now()) {
      const found = discover(dependencies, secret)
      known = { configuration: found, until: clock.now() + discoveryAge }
      found.catch(() => (known = undefined))
    }
    return known.configuration.catch((error: unknown) => {
      throw new OpenIdError('openid_unavailable', `the provider cannot be used: ${describe(error)}`, { cause: error })
    })
  }

  return {
    /** Returns the address at the provider where a person signs in, and what the answer must match. */
    async start({ mustAskAgain }: { mustAskAgain: boolean }): Promise<{ url: string } & Omit<Flow, 'next'>> {
      const [client, found] = [await loadClient(), await configuration()]
      const flow = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      }
      const url = client.buildAuthorizationUrl(found, {
        redirect_uri: redirectUri,
        scope: config.scopes ?? usualScopes(found),
        code_challenge: await client.calculatePKCECodeChallenge(flow.verifier),
        code_challenge_method: 'S256',
        state: flow.state,
        nonce: flow.nonce,
        ...(mustAskAgain && { prompt: 'login' }),
      })
      return { ...flow, url: url.href }
    },

    /** Returns what the provider states about the person who comes back with this query. Throws an `OpenIdError`. */
    async finish(query: string, flow: Flow): Promise<Claims> {
      const [client, found] = [await loadClient(), await configuration()]
      const url = new URL(redirectUri)
      url.search = query
      try {
        const checks = { expectedState: flow.state, expectedNonce: flow.nonce, pkceCodeVerifier: flow.verifier }
        const tokens = await client.authorizationCodeGrant(found, url, checks)
        const claims = tokens.claims()
        if (claims === undefined) throw new OpenIdError('openid_invalid', 'the answer holds no ID token')
        if (isComplete(claims, config) || found.serverMetadata().userinfo_endpoint === undefined) return claims
        const more = await client.fetchUserInfo(found, tokens.access_token, claims.sub)
        return { ...more, ...claims }
      } catch (error) {
        throw failureOf(error)
      }
    },
  }
}

async function discover(dependencies: ProviderDependencies, secret: string): Promise<Configuration> {
  const { config } = dependencies
  const client = await loadClient()
  const fetch = guardedFetchFor(dependencies)
  const isPlain = new URL(config.issuer).protocol === 'http:'
  return client.discovery(
    new URL(config.issuer),
    config.clientId,
    { [client.clockTolerance]: clockTolerance },
    (server, ...rest) => {
      const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
      const isBasic = methods.includes('client_secret_basic')
      return (isBasic ? client.ClientSecretBasic(secret) : client.ClientSecretPost(secret))(server, ...rest)
    },
    {
      [client.customFetch]: fetch,
      timeout: timeoutSeconds,
      // The signature of the ID token is checked although it comes from the provider itself.
      execute: [client.enableNonRepudiationChecks, ...(isPlain ? [client.allowInsecureRequests] : [])],
    },
  )
}

/** The library's requests, through the guard: redirects are not followed, and answers have a bound. */
function guardedFetchFor({ config, allow, resolver }: ProviderDependencies): CustomFetch {
  const policy = createOutboundPolicy(
    allowAddresses(allow, [config.issuer]),
    resolver === undefined ? {} : { resolver },
  )
  const guarded = createGuardedFetch(policy)
  return async (url, { method, headers, body, signal }) => {
    const answer = await guarded(url, {
      method: method === 'POST' ? 'POST' : 'GET',
      headers,
      ...(body instanceof URLSearchParams || typeof body === 'string' ? { body: String(body) } : {}),
      timeoutMs: timeoutSeconds * 1000,
      maxBytes: maxAnswer,
      signal,
    })
    const isEmpty = answer.status === 204 || answer.status === 304
    return new Response(isEmpty ? null : Buffer.from(answer.body), {
      status: answer.status,
      headers: [...answer.headers].filter(([name]) => name !== 'content-encoding' && name !== 'content-length'),
    })
  }
}

/** Some providers refuse scopes they do not know, so that of groups is asked for when the provider lists it. */
function usualScopes(found: Configuration): string {
  const offersGroups = found.serverMetadata().scopes_supported?.includes('groups') === true
  return offersGroups ? 'openid profile email groups' : 'openid profile email'
}

/** Many providers state names and groups at the userinfo endpoint alone. */
function isComplete(claims: Claims, { groupsClaim }: OpenIdConfig): boolean {
  return claims[groupsClaim] !== undefined && claims['preferred_username'] !== undefined
}

function failureOf(error: unknown): OpenIdError {
  if (error instanceof OpenIdError) return error
  const isCancelled = causesOf(error).some((cause) => (cause as { error?: unknown }).error === 'access_denied')
  if (isCancelled) return new OpenIdError('openid_cancelled', 'the sign-in was cancelled at the provider')
  const isAway = causesOf(error).some((cause) => cause instanceof OutboundFailed || cause instanceof OutboundRefused)
  return new OpenIdError(isAway ? 'openid_unavailable' : 'openid_invalid', describe(error), { cause: error })
}

/** Says what failed in the library's words and the provider's code. Descriptions of the provider may hold anything, and stay out. */
function describe(error: unknown): string {
  return causesOf(error)
    .slice(0, 3)
    .map((cause) => {
      const code = codeOf(cause)
      return code === undefined ? cause.message : `${cause.message} (${code})`
    })
    .join(': ')
}

/** The provider's code of an error: in its answer, or in the header of a 401. */
function codeOf(error: Error): string | undefined {
  const { error: inBody, cause } = error as { error?: unknown; cause?: unknown }
  const [challenge] = Array.isArray(cause) ? (cause as { parameters?: { error?: unknown } }[]) : []
  const code = inBody ?? challenge?.parameters?.error
  return typeof code === 'string' && /^[\w.-]{1,64}$/.test(code) ? code : undefined
}

function causesOf(error: unknown): Error[] {
  return error instanceof Error ? [error, ...causesOf(error.cause)] : []
}
