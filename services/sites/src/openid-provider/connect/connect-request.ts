import { isSecureOrLocal } from '@hearth/accounts'
import { parseJson } from '@hearth/runtime'

/** A Hearth service that signs people in through the portal. */
export interface HearthService {
  readonly id: string
  readonly title: string
  /** Path of its routes of sign-in through a provider. */
  readonly path: string
  /** Its users have roles; otherwise whoever may sign in uses its one account. */
  readonly hasRoles: boolean
}

const services: readonly HearthService[] = [
  { id: 'vpn', title: 'Hearth VPN', path: '/api/openid', hasRoles: true },
  { id: 'inverter', title: 'Hearth Inverter', path: '/admin/api/openid', hasRoles: false },
  { id: 'media', title: 'Hearth Media', path: '/api/openid', hasRoles: false },
]

/** What a service asks for when its administrator connects it. */
export interface ConnectRequest {
  readonly service: HearthService
  /** Origin of the service. */
  readonly origin: string
  readonly redirectUri: string
  readonly returnTo: string
  readonly state: string
  readonly codeChallenge: string
}

const members = ['service', 'redirect_uri', 'return_to', 'state', 'code_challenge'] as const

/** Reads one member of a request. */
type ReadMember = (name: (typeof members)[number]) => string

/** Longest address, letters. */
const maxAddress = 1000

/**
 * Reads a request. Both addresses are the ones that this service has below its origin, so that a code is sent nowhere else.
 * Returns what is wrong as a sentence.
 */
export function readConnectRequest(read: ReadMember): ConnectRequest | string {
  const service = services.find(({ id }) => id === read('service'))
  if (service === undefined) return 'No Hearth service of this kind signs people in through a portal.'
  const [redirectUri, returnTo] = [read('redirect_uri'), read('return_to')]
  const { path } = service
  const base = redirectUri.endsWith(`${path}/callback`) ? redirectUri.slice(0, -`${path}/callback`.length) : undefined
  const isOrigin =
    base !== undefined && base.length <= maxAddress && URL.canParse(base) && new URL(base).origin === base
  if (!isOrigin || returnTo !== `${base}${path}/connection/callback`)
    return `The address to return to is not that of ${service.title}.`
  if (!isSecureOrLocal(new URL(base)))
    return `${service.title} must have an https address: people are sent back to no other.`
  const [state, codeChallenge] = [read('state'), read('code_challenge')]
  if (!/^[\w-]{22,128}$/.test(state) || !/^[\w-]{43}$/.test(codeChallenge)) return 'The request is incomplete.'
  return { service, origin: base, redirectUri, returnTo, state, codeChallenge }
}

/** The members of a request, as they stand in its address and its form. */
export function membersOf(request: ConnectRequest): Readonly<Record<(typeof members)[number], string>> {
  const { service, redirectUri, returnTo, state, codeChallenge } = request
  return {
    service: service.id,
    redirect_uri: redirectUri,
    return_to: returnTo,
    state,
    code_challenge: codeChallenge,
  }
}

/** Path of the page that asks an administrator about a request. */
export const connectPath = '/connect'

/** The address of the page for a request, below the portal. */
export const addressOf = (request: ConnectRequest): string =>
  `${connectPath}?${new URLSearchParams(membersOf(request)).toString()}`

const prefix = 'connect.'

/** Name of a request for the sign-in page, which leads back to it. It needs no memory, and is checked again there. */
export const signInIdOf = (request: ConnectRequest): string =>
  `${prefix}${Buffer.from(JSON.stringify(membersOf(request))).toString('base64url')}`

/** Reads the name of a request; undefined for a name of anything else. */
export function readSignInId(id: string): ConnectRequest | undefined {
  if (!id.startsWith(prefix)) return undefined
  const found = parse(Buffer.from(id.slice(prefix.length), 'base64url').toString())
  const request = readConnectRequest((name) => (typeof found[name] === 'string' ? found[name] : ''))
  return typeof request === 'string' ? undefined : request
}

function parse(text: string): Readonly<Record<string, unknown>> {
  const found = parseJson(text)
  return typeof found === 'object' && found !== null ? (found as Record<string, unknown>) : {}
}
