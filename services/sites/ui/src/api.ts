import { answer, ApiError, createApiClient, createSessionStore } from '@hearth/ui'
import type { components, paths } from './api.gen.ts'
import { createConfirmation } from './session/confirmation.ts'
import { createSend } from './session/send.ts'
import { createSitesSession } from './session/sites-session.ts'
import { createTokens } from './session/tokens.ts'

type Schemas = components['schemas']
export type Session = Schemas['Session']
export type Passkey = Schemas['Passkey']
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

const tokens = createTokens()

/** Asks whoever is signed in to confirm who they are; see `send.ts`. */
export const confirmation = createConfirmation(
  () => new ApiError('Nothing was changed, because it was not confirmed', { status: 403, kind: 'not_confirmed' }),
)

/** How this service signs in and out, set-up included. */
export const ways = createSitesSession(tokens)

/** The session of this page. */
export const session = createSessionStore(ways)

/** Sends a call as the API's client does; for bodies that client does not know. */
export const send = createSend({ tokens, confirmation })

/**
 * The service's API, typed by its OpenAPI document. Calls that need a recent confirmation of who is calling ask for it and are
 * sent once more; a page need not care.
 */
export const api = createApiClient<paths>(session, send)

/** Names of cached answers. */
export const keys = {
  sites: ['sites'],
  revisions: ['revisions'],
  certificates: ['certificates'],
  traffic: ['traffic'],
  status: ['status'],
  onboarding: ['onboarding'],
  nodes: ['nodes'],
  passkeys: ['passkeys'],
  users: ['users'],
  settings: ['settings'],
  sslLabs: ['ssl-labs'],
  account: ['account'],
} as const

/** Who is signed in, with all that the server says about the session. */
export const readSession = () => answer(api.GET('/api/session'))
