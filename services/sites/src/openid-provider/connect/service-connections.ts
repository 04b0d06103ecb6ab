import { createThrottle, slidingWindow, type MemoryThrottle } from '@hearth/accounts'
import type { SecurityLog } from '@hearth/accounts/security-log'
import type { Database } from '@hearth/database'
import { addressGroup } from '@hearth/http'
import type { Clock } from '@hearth/runtime'
import { isRecent } from '../../access.ts'
import type { AccountTables } from '../../accounts/tables.ts'
import { usersIn } from '../../accounts/users.ts'
import type { ApplicationPages } from '../../portal/applications.ts'
import { redirect, sendJson } from '../../portal/page-answers.ts'
import { sendPage } from '../../portal/page-html.ts'
import { fieldOf, readPageBody, type PageRequest } from '../../portal/portal-page-request.ts'
import { Problem } from '../../problems.ts'
import type { Clients } from '../clients/clients.ts'
import { errorPage, onwardPage } from '../provider-pages.ts'
import { createConnectCodes, type ConnectCodes } from './connect-codes.ts'
import { connectPage, readChoice, refusalPage } from './connect-page.ts'
import {
  addressOf,
  connectPath,
  readConnectRequest,
  readSignInId,
  signInIdOf,
  type ConnectRequest,
} from './connect-request.ts'
import { registrationPath } from './registration.ts'
import { ServiceRegistrations } from './service-registrations.ts'

/** Dependencies of the connections of Hearth services. */
export interface ServiceConnectionDependencies {
  readonly database: Database<AccountTables>
  readonly clock: Clock
  /** Key of the service. */
  readonly secret: Uint8Array
  readonly clients: Clients
  readonly securityLog: SecurityLog
  /** Returns the names of the groups of users. */
  readonly groups: () => Promise<readonly string[]>
}

const descriptionPath = '/.well-known/hearth-portal'

/**
 * Connects other Hearth services to the portal: an administrator allows one on a page, and the service registers itself with the
 * code that it gets then (docs/decisions/0052-services-register-at-the-portal.md).
 */
export class ServiceConnections implements ApplicationPages {
  readonly #dependencies: ServiceConnectionDependencies
  readonly #codes: ConnectCodes
  readonly #registrations: ServiceRegistrations
  readonly #requests: MemoryThrottle

  constructor(dependencies: ServiceConnectionDependencies) {
    const { clock } = dependencies
    this.#dependencies = dependencies
    this.#codes = createConnectCodes(clock)
    this.#registrations = new ServiceRegistrations({
      ...dependencies,
      take: (code, verifier) => this.#codes.take(code, verifier),
      mayAllow: (userId) => this.#hasRole(userId),
    })
    this.#requests = createThrottle(slidingWindow(120, 60), clock)
  }

  answers(path: string): boolean {
    return path === descriptionPath || path === connectPath || path.startsWith(registrationPath)
  }

  async answer(page: PageRequest): Promise<void> {
    this.#requests.attempt(addressGroup(page.from.address))
    const method = page.request.method === 'HEAD' ? 'GET' : (page.request.method ?? '')
    const { pathname } = page.url
    if (method === 'GET' && pathname === descriptionPath) return sendJson(page, 200, descriptionOf(page))
    if (method === 'GET' && pathname === connectPath) return this.#show(page)
    if (method === 'POST' && pathname === connectPath) return this.#decide(page)
    if (method === 'POST' && pathname === registrationPath) return this.#registrations.register(page)
    if (method === 'GET' || method === 'DELETE') return this.#registrations.manage(page, method)
    throw new Problem(404, 'There is no such page')
  }

  findSignIn(id: string): Promise<{ name: string; path: string } | undefined> {
    const request = readSignInId(id)
    return Promise.resolve(request && { name: request.service.title, path: addressOf(request) })
  }

  async #show(page: PageRequest): Promise<void> {
    const request = readConnectRequest((name) => page.url.searchParams.get(name) ?? '')
    if (typeof request === 'string') return sendPage(page.response, errorPage(400, request))
    const username = this.#recentUser(page)
    if (username === undefined) return this.#askToSignIn(page, request)
    if (!(await this.#isAdministrator(page))) return sendPage(page.response, refusalPage({ page, request, username }))
    const groups = await this.#dependencies.groups()
    sendPage(page.response, connectPage({ page, request, username, groups }))
  }

  async #decide(page: PageRequest): Promise<void> {
    const body = await readPageBody(page)
    const request = readConnectRequest((name) => fieldOf(body, name))
    if (typeof request === 'string') return sendPage(page.response, errorPage(400, request))
    if (fieldOf(body, 'decision') !== 'allow') return leadBack(page, request, { error: 'access_denied' })
    const username = this.#recentUser(page)
    if (username === undefined) return this.#askToSignIn(page, request)
    const { session } = page
    if (session === undefined || !(await this.#isAdministrator(page)))
      return sendPage(page.response, refusalPage({ page, request, username }))
    const groups = await this.#dependencies.groups()
    const chosen = readChoice(body, { request, groups })
    const { isEverybody, allowed, admins } = chosen
    if (!isEverybody && allowed.length === 0 && admins.length === 0) {
      const problem = 'Choose who may sign in there.'
      return sendPage(page.response, connectPage({ page, request, username, groups, problem, chosen }))
    }
    const by = { userId: session.user.id, username }
    // Administrators of the service may sign in there too.
    const names = groups.filter((group) => allowed.includes(group) || admins.includes(group))
    const code = this.#codes.create({ request, allowed: isEverybody ? 'everybody' : names, admins, by })
    leadBack(page, request, { code })
  }

  /** The name of a user who proved within five minutes who they are. */
  #recentUser({ session }: PageRequest): string | undefined {
    const { clock } = this.#dependencies
    return session !== undefined && isRecent(session, clock.now()) ? session.user.username : undefined
  }

  #askToSignIn(page: PageRequest, request: ConnectRequest): void {
    const query = new URLSearchParams({ application: signInIdOf(request), again: '1' })
    redirect(page, `/sign-in?${query.toString()}`)
  }

  async #isAdministrator({ session }: PageRequest): Promise<boolean> {
    return session !== undefined && this.#hasRole(session.user.id)
  }

  async #hasRole(userId: string): Promise<boolean> {
    const user = await usersIn(this.#dependencies.database.query).find(userId)
    return user?.role === 'admin' && user.is_active === 1 && user.sites_only === 0
  }
}

const descriptionOf = ({ authority }: PageRequest) => ({
  issuer: `https://${authority}`,
  connect_endpoint: `https://${authority}${connectPath}`,
  registration_endpoint: `https://${authority}${registrationPath}`,
})

/** Leads the browser back to the service, with the answer. */
function leadBack(page: PageRequest, request: ConnectRequest, answer: Readonly<Record<string, string>>): void {
  const location = new URL(request.returnTo)
  location.search = new URLSearchParams({
    ...answer,
    state: request.state,
    iss: `https://${page.authority}`,
  }).toString()
  const to = { location: location.href, label: request.service.title }
  const onward = onwardPage(`Back to ${request.service.title}`, to)
  sendPage(page.response, { ...onward, headers: { 'Set-Cookie': page.cookies } })
}
