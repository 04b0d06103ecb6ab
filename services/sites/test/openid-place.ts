import { Agent, request } from 'node:https'
import { eventually } from '@hearth/testing'
import * as client from 'openid-client'
import type { ClientSettings, OpenIdClientSecret } from '../src/openid-provider/schema.ts'
import { must, type PortalPlace } from './portal-place.ts'
import type { PortalVisitor, Visit } from './portal-visitor.ts'

/** Address to which sign-ins of the tests' application return. Nothing listens there. */
export const callback = 'https://app.home.test/callback'

/** An application that speaks OpenID Connect, with the library that many of them use. */
export interface Application {
  readonly id: string
  readonly secret: string
  readonly configuration: client.Configuration
  /** Begins a sign-in: the address to open, and what its answer must match. */
  begin(more?: Readonly<Record<string, string>>): Promise<Attempt>
  /** Redeems the answer. */
  finish(attempt: Attempt, answer: URL): ReturnType<typeof client.authorizationCodeGrant>
}

/** A sign-in under way. */
export interface Attempt {
  readonly url: URL
  readonly verifier: string
  readonly state: string
  readonly nonce: string
}

/** Registers an application in the service. */
export function register(
  { admin }: Pick<PortalPlace, 'admin'>,
  name: string,
  more: object = {},
): Promise<OpenIdClientSecret> {
  return must(admin, 'POST', '/api/v1/openid/clients', { name, redirect_uris: [callback], ...more })
}

/** Registers an application and lets it read what the provider says of itself. */
export async function openApplication(
  place: PortalPlace,
  name: string,
  more: Partial<ClientSettings> = {},
): Promise<Application> {
  const { client: view, client_secret: secret } = await register(place, name, more)
  const port = place.sites.caddyPorts[1]
  await portalAnswers(place)
  const configuration = await client.discovery(
    new URL(issuerOf(place)),
    view.id,
    {},
    secret === null ? client.None() : client.ClientSecretBasic(secret),
    { [client.customFetch]: fetchThrough(port), execute: [client.enableNonRepudiationChecks] },
  )
  configuration[client.customFetch] = fetchThrough(port)
  return {
    id: view.id,
    secret: secret ?? '',
    configuration,
    async begin(parameters = {}) {
      const verifier = client.randomPKCECodeVerifier()
      const [state, nonce] = [client.randomState(), client.randomNonce()]
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: more.redirect_uris?.[0] ?? callback,
        scope: 'openid profile email groups',
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
        ...parameters,
      })
      return { url, verifier, state, nonce }
    },
    finish: ({ verifier, state, nonce }, answer) =>
      client.authorizationCodeGrant(configuration, answer, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
      }),
  }
}

/** Resolves when Caddy serves the portal: it makes the certificate after it has taken the site. */
export async function portalAnswers(place: PortalPlace): Promise<void> {
  const visitor = place.visitor()
  const answer = () =>
    visitor.open(issuerOf(place)).then(
      ({ status }) => status,
      () => 0,
    )
  await eventually(answer, (status) => status > 0, { everyMs: 50, what: 'the portal answers' })
}

/** The issuer as visitors of the test's Caddy see it. */
export const issuerOf = ({ host, sites }: Pick<PortalPlace, 'host' | 'sites'>): string =>
  `https://${host}:${sites.caddyPorts[1]}`

/** Follows a sign-in in a browser until it leaves the portal, or shows a page. */
export async function follow(visitor: PortalVisitor, start: string | URL): Promise<Visit & { readonly at: URL }> {
  let at = new URL(start)
  for (let hops = 0; hops < 12; hops += 1) {
    const visit = await visitor.open(at)
    if (visit.location === undefined) return { ...visit, at }
    at = visit.location
    if (at.hostname !== new URL(start).hostname) return { ...visit, at }
  }
  throw new Error('it redirects for ever')
}

/** Signs in on the page of the portal to which a sign-in led, and goes on until it leaves the portal or shows a page. */
export async function signInAt(
  visitor: PortalVisitor,
  page: Visit & { readonly at: URL },
  { username, password }: { readonly username: string; readonly password: string },
): Promise<Visit & { readonly at: URL }> {
  const sent = await visitor.submit(page.at, page.text, { username, password })
  if (sent.location === undefined) return { ...sent, at: page.at }
  return follow(visitor, sent.location)
}

/** The fetch of a program on this machine, at the port of the test's Caddy, whatever the certificate. */
export function fetchThrough(port: number): client.CustomFetch {
  const agent = new Agent({ rejectUnauthorized: false })
  return (url, { method, headers, body }) => {
    const { hostname, pathname, search, host } = new URL(url)
    const { promise, resolve, reject } = Promise.withResolvers<Response>()
    const text = body === undefined || body === null ? undefined : String(body as URLSearchParams | string)
    const outgoing = request(
      {
        agent,
        host: '127.0.0.1',
        port,
        servername: hostname,
        path: `${pathname}${search}`,
        method,
        headers: { ...headers, host, ...(text !== undefined && { 'content-length': Buffer.byteLength(text) }) },
      },
      (answer) => {
        const parts: Buffer[] = []
        answer.on('data', (part: Buffer) => parts.push(part))
        answer.on('error', reject)
        answer.on('end', () => {
          const lines = Object.entries(answer.headers).flatMap(([name, value]) =>
            [value ?? []].flat().map((one): [string, string] => [name, one]),
          )
          const status = answer.statusCode ?? 0
          resolve(new Response(status === 204 ? null : Buffer.concat(parts), { status, headers: lines }))
        })
      },
    )
    outgoing.on('error', reject)
    outgoing.end(text)
    return promise
  }
}
