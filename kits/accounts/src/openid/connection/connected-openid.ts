import { hashToken } from '@hearth/credentials'
import type { AnyQuery } from '../../any-query.ts'
import { OpenId, type OpenIdDependencies } from '../openid.ts'
import { OpenIdError } from '../openid-error.ts'
import type { OpenIdSource } from '../openid-source.ts'
import type { OpenIdConfig } from '../settings.ts'
import { readLogoutToken } from './logout-token.ts'
import { createPortalClient, PortalError, type PortalGroups } from './portal-client.ts'
import * as store from './store.ts'
import { configOfConnection, groupsOfConnection, registrationOf } from './stored-connection.ts'
import type { OpenIdConnectionRow } from './tables.ts'

/** Dependencies of sign-in through the provider of the settings or the connected portal. */
export interface ConnectedOpenIdDependencies extends OpenIdDependencies {
  readonly query: AnyQuery
  /** The provider of the settings; it wins. */
  readonly configured: OpenIdConfig | undefined
  readonly publicUrl: string | undefined
}

/** The connection as it is stored, and what the portal says of it. */
export interface ConnectionStanding {
  readonly row: OpenIdConnectionRow
  /** `removed`: the portal does not know this service any more; `moved`: it knows it at another address. */
  readonly state: 'connected' | 'removed' | 'moved' | 'unreachable'
  readonly groups: PortalGroups
}

/** No session of a service lasts longer, milliseconds. */
const maxSessionAge = 31 * 86_400_000

const failures = {
  removed: { reason: 'openid_disconnected', message: 'the portal does not know this service any more' },
  moved: { reason: 'openid_disconnected', message: 'the portal knows this service at another PUBLIC_URL' },
  unreachable: { reason: 'openid_unavailable', message: 'the portal does not say who may sign in' },
} as const

/** Returns where a provider sends people back who sign in. */
export const redirectUriOf = (publicUrl: string, path: string): string =>
  `${publicUrl.replace(/\/+$/, '')}${path}/callback`

/** Sign-in through the provider of the settings, or the portal in the database, which is read at each sign-in. */
export class ConnectedOpenId implements OpenIdSource {
  readonly #dependencies: ConnectedOpenIdDependencies
  readonly #configured: OpenId | undefined
  #current: { readonly key: string; readonly openId: OpenId } | undefined

  constructor(dependencies: ConnectedOpenIdDependencies) {
    const { configured } = dependencies
    this.#dependencies = dependencies
    this.#configured = configured && new OpenId(configured, dependencies)
  }

  async find(): Promise<OpenId | undefined> {
    if (this.#configured !== undefined) return this.#configured
    const row = await this.#row()
    return row && this.#openIdOf(row)
  }

  /** Returns the same, once the portal has said who may sign in now. */
  async findForSignIn(): Promise<OpenId | undefined> {
    if (this.#configured !== undefined) return this.#configured
    const row = await this.#row()
    if (row === undefined) return undefined
    const { state, groups } = await this.#standingOf(row)
    if (state === 'connected') return this.#openIdOf({ ...row, groups: JSON.stringify(groups) })
    const { reason, message } = failures[state]
    this.#dependencies.log.warn(`OpenID Connect: ${message}`)
    throw new OpenIdError(reason, message)
  }

  /** Describes the connection; undefined when there is none. */
  async standing(): Promise<ConnectionStanding | undefined> {
    const row = await this.#row()
    return row && { row, ...(await this.#standingOf(row)) }
  }

  /** Asks the portal, and keeps the groups when they changed. */
  async #standingOf(row: OpenIdConnectionRow): Promise<Omit<ConnectionStanding, 'row'>> {
    const { query, sealer, log } = this.#dependencies
    const known = groupsOfConnection(row)
    try {
      const found = await createPortalClient(row.issuer, this.#dependencies).read(registrationOf(row, sealer))
      if (found === undefined) return { state: 'removed', groups: known }
      const { groups, redirectUris } = found
      const text = JSON.stringify(groups)
      if (text !== row.groups) await store.updateConnectionGroups(query, row.client_id, text)
      return { state: redirectUris.includes(this.#redirectUri()) ? 'connected' : 'moved', groups }
    } catch (error) {
      if (!(error instanceof PortalError)) throw error
      log.warn(`OpenID Connect: ${error.message}`)
      return { state: 'unreachable', groups: known }
    }
  }

  /** Stores that a session began at the portal, so that it ends with the session there. */
  async onSession(key: string, sid: string): Promise<void> {
    const { query, clock } = this.#dependencies
    const row = this.#configured === undefined ? await this.#row() : undefined
    if (row === undefined) return
    const now = clock.now()
    const session = { session_hash: hashToken(key), client_id: row.client_id, sid, created_at: now }
    await store.insertOpenIdSessionRow(query, session, now - maxSessionAge)
  }

  /**
   * Ends the sessions that a logout token ends, and returns how many there were; undefined for a token that is not accepted. They
   * are forgotten last: the portal tells it again when ending them fails.
   *
   * @param end ends sessions by the hashes of their keys
   */
  async endSessions(token: string, end: (hashes: readonly string[]) => Promise<void>): Promise<number | undefined> {
    const { query, clock, log } = this.#dependencies
    const row = this.#configured === undefined ? await this.#row() : undefined
    if (row === undefined) return undefined
    const { issuer, client_id: clientId } = row
    const sid = await createPortalClient(issuer, this.#dependencies)
      .readKeys()
      .then((keys) => readLogoutToken(token, keys, { issuer, clientId, now: clock.now() }))
      .catch((error: unknown) => {
        if (!(error instanceof PortalError)) throw error
        log.warn(`OpenID Connect: ${error.message}`)
      })
    if (sid === undefined) return undefined
    const hashes = await store.listOpenIdSessions(query, { clientId, sid })
    await end(hashes)
    await store.deleteOpenIdSessions(query, hashes)
    return hashes.length
  }

  #redirectUri(): string {
    const { publicUrl = '', path } = this.#dependencies
    return redirectUriOf(publicUrl, path)
  }

  #row(): Promise<OpenIdConnectionRow | undefined> {
    return store.findConnectionRow(this.#dependencies.query)
  }

  /** The same object as long as the connection is the same, so that the provider's description is read once. */
  #openIdOf(row: OpenIdConnectionRow): OpenId {
    const { sealer, publicUrl = '' } = this.#dependencies
    const key = `${row.client_id} ${row.groups}`
    if (this.#current?.key !== key) {
      const openId = new OpenId(configOfConnection(row, { sealer, publicUrl }), this.#dependencies)
      this.#current = { key, openId }
    }
    return this.#current.openId
  }
}
