import { createHash } from 'node:crypto'
import { createSessionKey } from '@hearth/credentials'
import { HttpError } from '@hearth/http'
import { z } from 'zod'
import type { Actor, RequestOrigin } from '../../security-log/security-event.ts'
import type { SecurityLog } from '../../security-log/security-log.ts'
import { createTimedSeal, type TimedSeal } from '../timed-seal.ts'
import { ConnectedOpenId, redirectUriOf, type ConnectedOpenIdDependencies } from './connected-openid.ts'
import { issuerOf, isSecureOrLocal } from './portal-address.ts'
import { createPortalClient, PortalError, type PortalGroups } from './portal-client.ts'
import type { OpenIdConnectionView, OpenIdDisconnection } from './schema.ts'
import * as store from './store.ts'
import { registrationOf, rowOfConnection } from './stored-connection.ts'

/** Dependencies of the connection to a portal. */
export interface OpenIdConnectionDependencies extends ConnectedOpenIdDependencies {
  readonly securityLog: Pick<SecurityLog, 'record'>
  /** Name of the service as the portal knows it, such as `vpn`. */
  readonly service: string
  /** Name of the service for people, such as `Hearth VPN`. */
  readonly title: string
}

/** Time between the start of a connection and its end, milliseconds. */
export const maxConnectionAge = 600_000

/** Thrown when a connection cannot be made or ended. The message is for the administrator. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
}

/** Outcome of a visit to the portal, for the page of the settings. */
export type ConnectionAnswer = 'answered' | 'declined' | 'expired'

const Pending = z.object({
  state: z.string(),
  verifier: z.string(),
  issuer: z.string(),
  userId: z.string(),
  /** The portal's permission to register this service, once it has answered. */
  code: z.string().optional(),
})
type Pending = z.infer<typeof Pending>

/**
 * The connection to a Hearth portal, through which people sign in (docs/decisions/0052-services-register-at-the-portal.md). It
 * stands in the database, so that every process of the service follows it.
 */
export class OpenIdConnection {
  /** The provider through which people may sign in at the moment. */
  readonly source: ConnectedOpenId
  readonly #dependencies: OpenIdConnectionDependencies
  readonly #seal: TimedSeal<Pending>

  constructor(dependencies: OpenIdConnectionDependencies) {
    const { sealer, clock, path, publicUrl = '' } = dependencies
    const place = `openid connection:${publicUrl}${path}`
    this.#dependencies = dependencies
    this.source = new ConnectedOpenId(dependencies)
    this.#seal = createTimedSeal({ sealer, clock, place, maxAge: maxConnectionAge, schema: Pending })
  }

  /** Describes the connection, and whether the portal still knows this service. */
  async describe(): Promise<OpenIdConnectionView> {
    const { configured, publicUrl } = this.#dependencies
    const shared = { obstacle: this.#obstacle() ?? null, public_url: publicUrl ?? null }
    const none = { issuer: null, allowed_groups: [], admin_groups: [], connected_by: null, connected_at: null }
    if (configured !== undefined) {
      const allowed = configured.allowedGroups === 'everyone' ? ['*'] : [...configured.allowedGroups]
      const groups = { allowed_groups: allowed, admin_groups: [...configured.adminGroups] }
      return { ...shared, ...none, ...groups, state: 'environment', issuer: configured.issuer }
    }
    const standing = await this.source.standing()
    if (standing === undefined) return { ...shared, ...none, state: 'none' }
    const { row, state, groups } = standing
    return {
      ...shared,
      state,
      issuer: row.issuer,
      allowed_groups: [...groups.allowed],
      admin_groups: [...groups.admins],
      connected_by: row.connected_by,
      connected_at: new Date(row.connected_at).toISOString(),
    }
  }

  /** Begins a connection: returns the address at the portal, and what the cookie holds until the browser comes back. */
  async start(address: string, { userId }: Actor): Promise<{ url: string; cookie: string }> {
    const { service } = this.#dependencies
    const { redirectUri, returnTo } = this.#addresses()
    const issuer = issuerOf(address)
    if (issuer === undefined)
      throw invalidIssuer('must be the https address of a portal, such as https://auth.example.org')
    await this.#checkFree()
    const { connect } = await createPortalClient(issuer, this.#dependencies)
      .discover()
      .catch((error: unknown) => {
        throw error instanceof PortalError ? invalidIssuer(`cannot be used: ${error.message}`) : error
      })
    const [state, verifier] = [createSessionKey(), createSessionKey()]
    const url = new URL(connect)
    url.search = new URLSearchParams({
      service,
      redirect_uri: redirectUri,
      return_to: returnTo,
      state,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    }).toString()
    return { url: url.href, cookie: this.#seal.seal({ state, verifier, issuer, userId }) }
  }

  /**
   * Reads the portal's answer in the browser that asked; the cookie then holds the permission. Nothing is registered yet: that
   * needs the administrator's session, which browsers do not send along from another site.
   */
  receive(
    answer: Readonly<Record<string, unknown>>,
    cookie: string | undefined,
  ): { readonly to: ConnectionAnswer; readonly cookie?: string } {
    const pending = this.#seal.open(cookie)
    const { state, iss, code, error } = answer
    if (pending === undefined || state !== pending.state || iss !== pending.issuer) return { to: 'expired' }
    if (typeof code !== 'string' || error !== undefined) return { to: 'declined' }
    return { to: 'answered', cookie: this.#seal.seal({ ...pending, code }) }
  }

  /** Registers this service at the portal, and stores the connection. */
  async finish(cookie: string | undefined, by: Actor, from: RequestOrigin): Promise<OpenIdConnectionView> {
    const { query, sealer, clock, securityLog, title } = this.#dependencies
    const { redirectUri } = this.#addresses()
    const pending = this.#seal.open(cookie)
    if (pending?.code === undefined || pending.userId !== by.userId)
      throw new ConnectionError('The connection took too long, or went on in another browser. Connect again')
    await this.#checkFree()
    const { issuer, code, verifier } = pending
    const portal = createPortalClient(issuer, this.#dependencies)
    const metadata = {
      client_name: title,
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_basic',
      code_verifier: verifier,
    }
    const registration = await portal.register(code, metadata).catch((error: unknown) => {
      throw error instanceof PortalError ? new ConnectionError(error.message) : error
    })
    const row = rowOfConnection({ issuer, registration, by, now: clock.now() }, sealer)
    if (!(await store.insertConnectionRow(query, row))) {
      await portal.remove(registration).catch(() => undefined)
      throw alreadyConnected()
    }
    const detail = detailOf(registration.groups)
    await securityLog.record({ kind: 'openid_connected', by, from, target: issuer, detail })
    return this.describe()
  }

  /** Removes the connection: here in any case, and at the portal when it answers. */
  async disconnect(by: Actor, from: RequestOrigin): Promise<OpenIdDisconnection> {
    const { query, sealer, securityLog, log } = this.#dependencies
    const row = await store.findConnectionRow(query)
    if (row === undefined || !(await store.deleteConnectionRow(query, row.client_id)))
      throw new ConnectionError('This service is not connected to a portal')
    await securityLog.record({ kind: 'openid_disconnected', by, from, target: row.issuer })
    try {
      await createPortalClient(row.issuer, this.#dependencies).remove(registrationOf(row, sealer))
      return { is_removed_there: true }
    } catch (error) {
      log.warn(`OpenID Connect: ${error instanceof Error ? error.message : String(error)}`)
      return { is_removed_there: false }
    }
  }

  /** Records that the portal ended sessions here. */
  recordEnd(from: RequestOrigin): Promise<void> {
    return this.#dependencies.securityLog.record({ kind: 'session_ended', from, detail: 'signed out at the portal' })
  }

  async #checkFree(): Promise<void> {
    if ((await store.findConnectionRow(this.#dependencies.query)) !== undefined) throw alreadyConnected()
  }

  /** Returns why this service cannot be connected; undefined when it can. */
  #obstacle(): string | undefined {
    const { configured, publicUrl } = this.#dependencies
    if (configured !== undefined) return 'OIDC_ISSUER is set, and names the provider'
    if (publicUrl === undefined) return 'PUBLIC_URL is not set, and the portal sends people back to that address'
    if (isSecureOrLocal(new URL(publicUrl))) return undefined
    return 'PUBLIC_URL must be an https address, because the portal sends people back to no other'
  }

  #addresses(): { readonly redirectUri: string; readonly returnTo: string } {
    const { publicUrl = '', path } = this.#dependencies
    const obstacle = this.#obstacle()
    if (obstacle !== undefined) throw new ConnectionError(obstacle)
    const redirectUri = redirectUriOf(publicUrl, path)
    return { redirectUri, returnTo: redirectUriOf(publicUrl, `${path}/connection`) }
  }
}

const detailOf = ({ allowed, admins }: PortalGroups) =>
  `may sign in: ${namesOf(allowed)}; administrators: ${namesOf(admins)}`

const namesOf = (names: readonly string[]): string =>
  names.length === 0 ? 'no group' : names.includes('*') ? 'everybody' : names.join(', ')

const alreadyConnected = () => new ConnectionError('This service is connected already; disconnect it first')

const invalidIssuer = (message: string) =>
  new HttpError({ kind: 'invalid', part: 'body', fields: [{ path: 'issuer', code: 'invalid', message }] })
