import { eventually } from '@hearth/testing'
import type { User } from '../src/accounts/schema.ts'
import { startSites, testPassword, type Browser, type Sites } from './in-process.ts'
import { PortalVisitor } from './portal-visitor.ts'
import { makeSite } from './served.ts'
import { startOrigin, type Origin } from './served-sites.ts'
import type { Site } from '../src/sites/schema.ts'

/** Host of the portal in tests. */
export const portalHost = 'auth.home.test'

/** A service with a Caddy, a portal, and an upstream for protected sites. */
export interface PortalPlace extends AsyncDisposable {
  /** Host of the portal. */
  readonly host: string
  readonly sites: Sites
  readonly admin: Browser
  readonly origin: Origin
  /** A visitor from this address of the machine; the usual one by default. */
  readonly visitor: (address?: string) => PortalVisitor
  /** Makes a user who signs in to sites only, in these groups. */
  readonly addVisitor: (username: string, groups?: readonly string[]) => Promise<User>
  /** Makes a protected site in front of the upstream. */
  readonly protect: (host: string, signIn: object, members?: object) => Promise<Site>
}

/** Starts all of it, with the portal under this host, and the data in this folder or in one of its own. */
export async function openPortalPlace(host = portalHost, folder?: string): Promise<PortalPlace> {
  const sites = await startSites({}, { caddy: true, ...(folder !== undefined && { folder }) })
  const origin = await startOrigin('inside', (request, response) => response.end(`inside ${request.url ?? ''}`))
  const admin = await sites.signIn()
  await eventually(
    async () => (await admin.call('GET', '/api/v1/ready')).status,
    (status) => status === 200,
    { everyMs: 100 },
  )
  await makeSite(admin, { site_name: 'Portal', domains: [host], kind: 'portal', tls: { mode: 'internal' } })
  const known = new Map<string, string[]>()
  return {
    host,
    sites,
    admin,
    origin,
    visitor: (address) => new PortalVisitor(sites.caddyPorts[1], address),
    async addVisitor(username, groups = []) {
      const json = { username, password: testPassword, sites_only: true, email: `${username}@home.test` }
      const user = await must<User>(admin, 'POST', '/api/users', json)
      for (const name of groups) await addToGroup(admin, known, { name, userId: user.id })
      return user
    },
    async protect(host, signIn, members = {}) {
      const site = await makeSite(admin, {
        site_name: host,
        domains: [host],
        upstreams: [{ url: origin.url }],
        tls: { mode: 'internal' },
        sign_in: signIn,
        ...members,
      })
      // Caddy makes the certificate of a new site after it has taken it.
      const visitor = new PortalVisitor(sites.caddyPorts[1])
      const answer = () =>
        visitor.open(visitor.url(host)).then(
          ({ status }) => status,
          () => 0,
        )
      await eventually(answer, (status) => status > 0, { everyMs: 50, what: `${host} answers` })
      return site
    },
    async [Symbol.asyncDispose]() {
      await sites[Symbol.asyncDispose]()
      await origin[Symbol.asyncDispose]()
    },
  }
}

/** Sends a change of an administrator, and fails unless it succeeds. */
export async function must<T>(admin: Browser, method: string, path: string, json?: unknown): Promise<T> {
  const { status, body } = await admin.json<T>(method, path, json === undefined ? {} : { json })
  if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${JSON.stringify(body)}`)
  return body
}

async function addToGroup(
  admin: Browser,
  known: Map<string, string[]>,
  { name, userId }: { readonly name: string; readonly userId: string },
): Promise<void> {
  const members = [...(known.get(name) ?? []), userId]
  if (known.has(name)) await must(admin, 'PUT', `/api/v1/portal/groups/${name}`, { user_ids: members })
  else await must(admin, 'POST', '/api/v1/portal/groups', { name, user_ids: members })
  known.set(name, members)
}
