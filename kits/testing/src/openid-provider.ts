import { generateKeyPairSync, randomUUID, sign, type KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'
import type { Page } from 'playwright-core'
import { createCookieClient } from './cookie-client.ts'
import { createPortalRegistration, type PortalRegistration } from './portal-registration.ts'

/** A person whom the provider knows, with the claims it states. */
export interface ProviderPerson {
  readonly sub: string
  readonly [claim: string]: unknown
}

/** Members of an ID token. */
export type TokenClaims = Record<string, unknown>

/** A certified OpenID Connect provider on loopback, for one client. */
export interface OpenIdProvider extends AsyncDisposable {
  readonly issuer: string
  /** Settings of a service that uses this provider, `PUBLIC_URL` included. */
  readonly settings: Readonly<Record<string, string>>
  /** Who signs in next. */
  person: ProviderPerson
  /** Signs `person` in without a page when it is true; otherwise a page with a button does. */
  isAutomatic: boolean
  /** What the person does: signs in, or declines. */
  decision: 'sign-in' | 'decline'
  /** Changes an ID token before it is signed again; with another key when `isForged`. */
  alterToken: ((claims: TokenClaims) => TokenClaims) | undefined
  isForged: boolean
  /** Its part as a Hearth portal, where services register. */
  readonly portal: PortalRegistration
  /** Addresses that were requested, without their queries. */
  readonly requested: string[]
  /** Does what a browser does at the provider's address; returns the address to which it is sent back. */
  visit(url: string): Promise<URL>
  /** Returns the token by which a portal tells that its session `sid` ended, at a time in milliseconds. */
  logoutToken(sid: string, at: number): string
  /** Stops answering. */
  stop(): Promise<void>
}

/** Opens a page of a service, follows the button to the provider, and signs in there. */
export async function signInAtProvider(page: Page, url: string, { person }: OpenIdProvider): Promise<void> {
  await page.goto(url)
  await page.getByRole('link', { name: 'Sign in with House account' }).click()
  await page.getByRole('button', { name: `Continue as ${String(person['preferred_username'])}` }).click()
}

/** Options of a provider. */
export interface ProviderOptions {
  /** Address of the service as people see it. */
  readonly publicUrl: string
  /** Path of the service's routes. */
  readonly path: string
  /** Puts the claims into the ID token, as some providers do; otherwise they are at the userinfo endpoint. */
  readonly claimsInToken?: boolean
}

const client = { client_id: 'hearth', client_secret: 'a-secret-of-client-and-provider' }
const scopes = ['openid', 'profile', 'email', 'groups']

/** Starts a provider. */
export async function startOpenIdProvider(options: ProviderOptions): Promise<OpenIdProvider> {
  let handle: RequestListener = (_, response) => void response.end()
  const requested: string[] = []
  const server = createServer((request, response) => {
    requested.push(request.url?.split('?')[0] ?? '')
    handle(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const stop = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  const callback = `${options.publicUrl}${options.path}/callback`
  const registration = createPortalRegistration(issuer, client)
  const key = createKey()
  const running: OpenIdProvider = {
    issuer,
    settings: {
      PUBLIC_URL: options.publicUrl,
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: client.client_id,
      OIDC_CLIENT_SECRET: client.client_secret,
      OIDC_NAME: 'House account',
      OIDC_ALLOWED_GROUPS: 'family',
      OIDC_ADMIN_GROUPS: 'admins',
    },
    person: { sub: 'p-1', preferred_username: 'maria', email: 'maria@example.org', groups: ['family'] },
    isAutomatic: true,
    decision: 'sign-in',
    alterToken: undefined,
    isForged: false,
    requested,
    portal: registration.state,
    visit: (url) => visit(url, `${options.publicUrl}${options.path}`),
    logoutToken: (sid, at) => logoutToken({ iss: issuer, sid, at }, key),
    stop,
    [Symbol.asyncDispose]: () => (server.listening ? stop() : Promise.resolve()),
  }
  const provide = createHandler(running, { callback, key, ...options })
  handle = (request, response) => {
    if (!registration.handle(request, response)) provide(request, response)
  }
  return running
}

function createHandler(
  running: OpenIdProvider,
  { callback, key, claimsInToken }: ProviderOptions & { callback: string; key: KeyObject },
): RequestListener {
  const other = createKey()
  const provider: Provider = new Provider(running.issuer, {
    clients: [{ ...client, redirect_uris: [callback] }],
    scopes,
    claims: { groups: ['groups'], profile: ['preferred_username', 'name'], email: ['email'] },
    conformIdTokenClaims: claimsInToken !== true,
    pkce: { required: () => true },
    jwks: { keys: [{ ...key.export({ format: 'jwk' }), kid: 'first', use: 'sig', alg: 'RS256' }] },
    cookies: { keys: ['one key for the cookies'] },
    features: { devInteractions: { enabled: false } },
    ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    interactions: { url: () => '/interaction' },
    findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ ...running.person, sub: id }) }),
    async loadExistingGrant({ oidc }: { oidc: { client: { clientId: string }; session: { accountId: string } } }) {
      const grant = new provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId })
      grant.addOIDCScope(scopes.join(' '))
      await grant.save()
      return grant
    },
  })
  provider.use(async (context, next) => {
    await next()
    const body = context.body as { id_token?: string } | undefined
    const isChanged = running.alterToken !== undefined || running.isForged
    if (context.path !== '/token' || body?.id_token === undefined || !isChanged) return
    body.id_token = signAgain(body.id_token, running, running.isForged ? other : key)
  })
  const answer = provider.callback()
  return (request, response) => {
    const isInteraction = request.url?.startsWith('/interaction') === true
    if (isInteraction) void interact(provider, running, { request, response })
    else answer(request, response)
  }
}

async function interact(
  provider: Provider,
  running: OpenIdProvider,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
): Promise<void> {
  if (!running.isAutomatic && request.method === 'GET') {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(page(String(running.person['preferred_username'])))
    return
  }
  const result =
    running.decision === 'sign-in'
      ? { login: { accountId: running.person.sub } }
      : { error: 'access_denied', error_description: '<b>The person said no</b>' }
  await provider.interactionFinished(request, response, result)
}

const page = (name: string) =>
  `<!doctype html><html lang="en"><title>House account</title><main><h1>House account</h1><form method="post"><button>Continue as ${name}</button></form></main></html>`

const createKey = (): KeyObject => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey

function signAgain(token: string, { alterToken }: OpenIdProvider, key: KeyObject): string {
  const [head = '', payload = ''] = token.split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as TokenClaims
  return signed(`${head}.${encoded(alterToken?.(claims) ?? claims)}`, key)
}

function logoutToken({ iss, sid, at }: { iss: string; sid: string; at: number }, key: KeyObject): string {
  const iat = Math.floor(at / 1000)
  const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
  const claims = { iss, aud: client.client_id, sid, iat, exp: iat + 120, jti: randomUUID(), events }
  return signed(`${encoded({ alg: 'RS256', typ: 'logout+jwt', kid: 'first' })}.${encoded(claims)}`, key)
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const signed = (text: string, key: KeyObject): string =>
  `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`

/** Follows the provider's redirects with a fresh set of cookies. */
async function visit(start: string, service: string): Promise<URL> {
  const browser = createCookieClient(() => '')
  let url = new URL(start)
  for (let hops = 0; hops < 10; hops += 1) {
    if (url.href.startsWith(service)) return url
    const reply = await browser.fetch('GET', url.href)
    const location = reply.headers.get('location')
    if (location === null) throw new Error(`the provider stays at ${url.pathname}: ${await reply.text()}`)
    url = new URL(location, url)
  }
  throw new Error('the provider redirects for ever')
}
