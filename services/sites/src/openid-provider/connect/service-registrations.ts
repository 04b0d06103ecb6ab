import type { SecurityLog } from '@hearth/accounts/security-log'
import { sendJson } from '../../portal/page-answers.ts'
import { readJsonBody, type PageRequest } from '../../portal/portal-page-request.ts'
import type { Client, Clients } from '../clients/clients.ts'
import type { Permission } from './connect-codes.ts'
import {
  bearerOf,
  clientIdOf,
  createRegistrationTokens,
  groupsOf,
  registrationPath,
  RegistrationRequest,
  type RegistrationTokens,
} from './registration.ts'

/** Dependencies of the registrations of Hearth services. */
export interface ServiceRegistrationDependencies {
  /** Key of the service. */
  readonly secret: Uint8Array
  readonly clients: Clients
  readonly securityLog: SecurityLog
  /** Uses up a code, and returns what it permits. */
  readonly take: (code: string, verifier: string) => Permission | undefined
  /** Resolves to true while this user may allow services. */
  readonly mayAllow: (userId: string) => Promise<boolean>
}

/** Applications that are Hearth services: they register with a code, read their registration, and remove it. */
export class ServiceRegistrations {
  readonly #dependencies: ServiceRegistrationDependencies
  readonly #tokens: RegistrationTokens

  constructor(dependencies: ServiceRegistrationDependencies) {
    this.#dependencies = dependencies
    this.#tokens = createRegistrationTokens(dependencies.secret)
  }

  /** Registers a service (RFC 7591). */
  async register(page: PageRequest): Promise<void> {
    const body = RegistrationRequest.safeParse(await readJsonBody(page))
    if (!body.success) return sendJson(page, 400, { error: 'invalid_client_metadata' })
    const { redirect_uris: uris, code_verifier: verifier } = body.data
    const { take, mayAllow, clients } = this.#dependencies
    const permission = take(bearerOf(page), verifier)
    // Whoever allowed it may have lost that right since.
    if (permission === undefined || !(await mayAllow(permission.by.userId)))
      return sendJson(page, 401, { error: 'invalid_token' })
    const { redirectUri } = permission.request
    if (uris[0] !== redirectUri) return sendJson(page, 400, { error: 'invalid_redirect_uri' })
    const { id, name, secret } = await this.#createClient(permission, page)
    const client = await clients.find(id)
    sendJson(page, 201, {
      client_id: id,
      client_secret: secret,
      client_secret_expires_at: 0,
      client_name: name,
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_basic',
      registration_client_uri: `https://${page.authority}${registrationPath}/${id}`,
      registration_access_token: this.#tokens.create(id),
      ...(client && groupsOf(client)),
    })
  }

  async #createClient({ request, allowed, admins, by }: Permission, { from }: PageRequest) {
    const { clients, securityLog } = this.#dependencies
    const { service, origin, redirectUri } = request
    await this.#removeEarlier(redirectUri, from)
    const names = (await clients.all()).map(({ name }) => name)
    const name = freeName(service.title, new URL(origin).host, names)
    const creating = clients.create({
      name,
      preset: `hearth-${service.id}`,
      redirect_uris: [redirectUri],
      post_logout_redirect_uris: [],
      backchannel_logout_uri: `${origin}${service.path}/backchannel-logout`,
      groups: allowed === 'everybody' ? [] : [...allowed],
      admin_groups: [...admins],
      consent: 'given',
      pkce_required: true,
      is_public: false,
      claims_in_id_token: true,
    })
    const event = { kind: 'openid_connected', by, from, target: name, detail: origin } as const
    const { client, client_secret: secret } = await securityLog.recordAfter(creating, event)
    return { id: client.id, name, secret }
  }

  /** A service has one connection: what it registered before and did not keep, because it was killed or restored, is of no use. */
  async #removeEarlier(redirectUri: string, from: PageRequest['from']): Promise<void> {
    const { clients, securityLog } = this.#dependencies
    const earlier = (await clients.all()).filter((one) => isService(one) && one.redirect_uris[0] === redirectUri)
    for (const { id, name } of earlier) {
      const event = { kind: 'openid_disconnected', from, target: name, detail: 'replaced' } as const
      await securityLog.recordAfter(clients.remove(id), event)
    }
  }

  /** Reads or removes the registration of a service (RFC 7592). */
  async manage(page: PageRequest, method: 'GET' | 'DELETE'): Promise<void> {
    const { clients, securityLog } = this.#dependencies
    const id = clientIdOf(page)
    const isKnown = this.#tokens.isRight(bearerOf(page), id)
    const client = isKnown ? await clients.find(id) : undefined
    if (client === undefined || !isService(client)) return sendJson(page, 401, { error: 'invalid_token' })
    if (method === 'GET') {
      const { name, redirect_uris: uris } = client
      return sendJson(page, 200, { client_id: id, client_name: name, redirect_uris: uris, ...groupsOf(client) })
    }
    const detail = 'by the service itself'
    const event = { kind: 'openid_disconnected', from: page.from, target: client.name, detail } as const
    await securityLog.recordAfter(clients.remove(id), event)
    page.response.writeHead(204, { 'Cache-Control': 'no-store' }).end()
  }
}

/** Names of applications differ: a second service of a kind has its host in its name. */
function freeName(title: string, host: string, names: readonly string[]): string {
  const longer = `${title} (${host})`.slice(0, 90)
  const numbered = names.map((_, index) => `${longer} ${index + 2}`)
  return [title, longer, ...numbered].find((name) => !names.includes(name)) ?? longer
}

const isService = ({ preset }: Client): boolean => preset.startsWith('hearth-')
