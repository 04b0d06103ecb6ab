import { answer, ApiError, createApiClient, createSessionStore, type PasskeySignInApi } from '@hearth/ui'
import type { components, paths } from './api.gen.ts'
import { createConfirmation } from './session/confirmation.ts'
import { createSend } from './session/send.ts'
import { createSitesSession } from './session/sites-session.ts'
import { Tokens } from './session/tokens.ts'

/** The schemas of the API by name. */
export type Schemas = components['schemas']
export type Session = Schemas['Session']
export type User = Schemas['User']
export type Settings = Schemas['Settings']
export type SettingsChange = Schemas['SettingsChange']
export type SslLabsStatus = Schemas['SslLabsStatus']
export type Node = Schemas['Node']
export type Onboarding = Schemas['Onboarding']
export type OnboardRequest = Schemas['OnboardRequest']
export type OnboardResult = Schemas['OnboardResult']
export type ImportAnswer = Schemas['ImportAnswer']
export type ImportedSite = Schemas['ImportedSite']
export type ReportItem = Schemas['ImportReportItem']

/** Path of the routes of sign-in through an OpenID Connect provider. */
export const openIdPath = '/api/openid'

const tokens = new Tokens()

/** Lets the signed-in user confirm their identity; see `send.ts`. */
export const confirmation = createConfirmation(
  () => new ApiError('Nothing was changed, because it was not confirmed', { status: 403, kind: 'not_confirmed' }),
)

/** Calls that sign in and out, set-up included. */
export const ways = createSitesSession(tokens)

/** Calls that sign in with a passkey. */
export const passkeySignIn: PasskeySignInApi = {
  async start() {
    const { options } = await ways.post<Schemas['PasskeyLoginOptions']>('/api/passkeys/login/start', {})
    return options as unknown as PublicKeyCredentialRequestOptionsJSON
  },
  finish: (credential) => ways.post('/api/passkeys/login/finish', { credential }),
}

/** The session of this page. */
export const session = createSessionStore(ways)

/** Sends a call as the API's client does; for bodies that client does not know. */
export const send = createSend({ tokens, confirmation })

/**
 * The service's API, typed by its OpenAPI document. Calls that need a recently confirmed identity open the
 * confirmation and are sent once more; a page need not care.
 */
export const api = createApiClient<paths>(session, send)

/** Names of cached answers. */
export const keys = {
  sites: ['sites'],
  revisions: ['revisions'],
  certificates: ['certificates'],
  orders: ['orders'],
  dnsProviders: ['dns-providers'],
  externalAccounts: ['external-accounts'],
  traffic: ['traffic'],
  uptime: ['uptime'],
  statusPages: ['status-pages'],
  status: ['status'],
  onboarding: ['onboarding'],
  nodes: ['nodes'],
  passkeys: ['passkeys'],
  sessions: ['sessions'],
  users: ['users'],
  groups: ['groups'],
  portalSessions: ['portal-sessions'],
  siteTokens: ['site-tokens'],
  applications: ['applications'],
  signingKeys: ['signing-keys'],
  settings: ['settings'],
  vpnLink: ['vpn-link'],
  sslLabs: ['ssl-labs'],
  account: ['account'],
} as const

/** Reads the session of the signed-in user. Throws an `ApiError`. */
export const readSession = () => answer(api.GET('/api/session'))

/** Reads the other Hearth services that answer. */
export const readNeighbours = async () => (await answer(api.GET('/api/v1/neighbours'))).services
