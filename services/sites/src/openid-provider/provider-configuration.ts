import type { IncomingMessage } from 'node:http'
import { hashToken, isSameSecret, type Sealer } from '@hearth/credentials'
import type { Database } from '@hearth/database'
import type { Clock } from '@hearth/runtime'
import type { PageRequest } from '../portal/portal-page-request.ts'
import type { PortalState } from '../portal/portal-state.ts'
import { claimsOfScopes, findAccount, loadGrant, scopes, type TokenOfAccount } from './account-claims.ts'
import { createAdapters } from './adapters.ts'
import type { ArtifactDependencies } from './artifact-adapter.ts'
import { bindArtifactRow } from './artifact-store.ts'
import { phishingResistant } from './authentication-methods.ts'
import type { Clients } from './clients/clients.ts'
import { createPolicy } from './interaction-policy.ts'
import type { LibraryClient, LibraryContext, LibraryProvider, OidcLibrary } from './oidc-library.ts'
import { endSessionPages, renderError } from './provider-pages.ts'
import type { PortalLink } from './portal-link.ts'
import type { KeySet } from './signing-keys.ts'
import type { OpenIdProviderTables } from './tables.ts'

/** Requests of visitors by the request of the server. */
export type RequestPages = WeakMap<IncomingMessage, PageRequest>

/** Dependencies of a provider for one issuer. */
export interface ProviderDependencies {
  readonly database: Database<OpenIdProviderTables>
  readonly sealer: Sealer
  readonly clock: Clock
  readonly state: Pick<PortalState, 'current'>
  readonly link: PortalLink
  readonly clients: Clients
  readonly library: OidcLibrary
  /** The requests that the library answers, as the portal read them. */
  readonly pages: RequestPages
  readonly tidy: ArtifactDependencies['tidy']
  readonly onLogin: ArtifactDependencies['onLogin']
}

/** Cookies of the provider. That of the session is for browsers in which nobody is signed in. */
export const providerCookies = {
  session: '__Host-hearth_oidc',
  interaction: '__Secure-hearth_interaction',
  resume: '__Secure-hearth_resume',
} as const

/** Paths of the provider. */
export const providerPaths = {
  authorization: '/oidc/auth',
  token: '/oidc/token',
  userinfo: '/oidc/userinfo',
  jwks: '/oidc/jwks',
  revocation: '/oidc/token/revocation',
  end_session: '/oidc/session/end',
} as const

/** Path of the page of a sign-in under way. */
export const interactionPath = (uid: string): string => `/oidc/interaction/${uid}`

/** Path at which the library goes on after the page. */
export const resumePath = (uid: string): string => `${providerPaths.authorization}/${uid}`

const minute = 60
const twelveHours = 43_200

/** Creates a provider of the library for an issuer. */
export function createLibraryProvider(
  dependencies: ProviderDependencies,
  { issuer, keys }: { readonly issuer: string; readonly keys: KeySet },
): LibraryProvider {
  const { library } = dependencies
  const cookie = { httpOnly: true, sameSite: 'lax', secure: true, signed: false, path: '/' }
  const off = { enabled: false }
  const provider: LibraryProvider = new library.Provider(issuer, {
    adapter: createAdapters(dependencies, issuer),
    jwks: { keys: keys.keys },
    scopes: [...scopes],
    claims: claimsOfScopes,
    acrValues: [phishingResistant],
    // Which claims the ID token has is a setting of the application; see `accountOf`.
    conformIdTokenClaims: false,
    responseTypes: ['code'],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    enabledJWA: { idTokenSigningAlgValues: ['RS256'] },
    allowOmittingSingleRegisteredRedirectUri: false,
    extraClientMetadata: { properties: ['pkce_required'] },
    pkce: { required: (_: LibraryContext, client: LibraryClient) => client.pkce_required },
    cookies: { names: providerCookies, long: cookie, short: { ...cookie, path: undefined }, keys: [] },
    discovery: { claims_parameter_supported: false },
    features: {
      devInteractions: off,
      dPoP: off,
      pushedAuthorizationRequests: off,
      resourceIndicators: off,
      revocation: { enabled: true },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: { enabled: true, ...endSessionPages },
    },
    clientBasedCORS: (_context: LibraryContext, origin: string, client: LibraryClient) =>
      isAppInBrowser(client, origin),
    ttl: {
      AccessToken: 10 * minute,
      AuthorizationCode: minute,
      IdToken: 10 * minute,
      Interaction: 60 * minute,
      // As long as a session of the portal; they end with it.
      Grant: twelveHours,
      RefreshToken: twelveHours,
      Session: twelveHours,
    },
    routes: providerPaths,
    interactions: {
      policy: createPolicy(dependencies),
      url: (context: LibraryContext, { uid }: { uid: string }) => bindInteraction(dependencies, context, uid),
    },
    renderError,
    rotateRefreshToken: true,
    issueRefreshToken: () => true,
    expiresWithSession: () => true,
    findAccount: (context: LibraryContext, sub: string, token?: TokenOfAccount) =>
      findAccount(dependencies, context, { sub, token }),
    loadExistingGrant: (context: LibraryContext) => loadGrant(dependencies, provider, context),
  })
  provider.proxy = true
  // Of a secret only the hash is stored.
  provider.Client.prototype['compareClientSecret'] = compareSecret
  // The outbox tells applications of the end of a session; see `logouts.ts`.
  provider.Client.prototype['backchannelLogout'] = () => Promise.resolve()
  return provider
}

/** Only the browser in which a sign-in began goes on with it. Other hosts can set the library's cookies, but not the portal's. */
async function bindInteraction(
  { database, pages }: ProviderDependencies,
  { req }: LibraryContext,
  uid: string,
): Promise<string> {
  const key = { model: 'Interaction', id_hash: hashToken(uid) }
  await bindArtifactRow(database.query, key, hashToken(pages.get(req)?.browserKey ?? ''))
  return interactionPath(uid)
}

function compareSecret(this: LibraryClient, given: string): boolean {
  return isSameSecret(hashToken(given), this.clientSecret ?? '')
}

/** Pages of other origins may call the provider when they are an application without a secret. */
const isAppInBrowser = ({ clientAuthMethod, redirectUris }: LibraryClient, origin: string): boolean =>
  clientAuthMethod === 'none' && redirectUris.some((uri) => new URL(uri).origin === origin)
