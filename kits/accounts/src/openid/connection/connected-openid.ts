import type { AnyQuery } from '../../any-query.ts'
import { OpenId, type OpenIdDependencies } from '../openid.ts'
import { OpenIdError } from '../openid-error.ts'
import type { OpenIdSource } from '../openid-source.ts'
import type { OpenIdConfig } from '../settings.ts'
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
  /** `removed`: the portal does not know this service any more. */
  readonly state: 'connected' | 'removed' | 'unreachable'
  readonly groups: PortalGroups
}

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
    const groups = await this.#readGroups(row).catch((error: unknown) => {
      if (!(error instanceof PortalError)) throw error
      throw this.#logged(new OpenIdError('openid_unavailable', error.message, { cause: error }))
    })
    if (groups === undefined)
      throw this.#logged(new OpenIdError('openid_disconnected', 'the portal does not know this service any more'))
    return this.#openIdOf({ ...row, groups: JSON.stringify(groups) })
  }

  /** Describes the connection; undefined when there is none. */
  async standing(): Promise<ConnectionStanding | undefined> {
    const row = await this.#row()
    if (row === undefined) return undefined
    try {
      const groups = await this.#readGroups(row)
      return { row, state: groups === undefined ? 'removed' : 'connected', groups: groups ?? groupsOfConnection(row) }
    } catch (error) {
      if (!(error instanceof PortalError)) throw error
      return { row, state: 'unreachable', groups: groupsOfConnection(row) }
    }
  }

  #row(): Promise<OpenIdConnectionRow | undefined> {
    return store.findConnectionRow(this.#dependencies.query)
  }

  #logged(error: OpenIdError): OpenIdError {
    this.#dependencies.log.warn(`OpenID Connect: ${error.message}`)
    return error
  }

  /** Reads the groups at the portal, and keeps them when they changed. */
  async #readGroups(row: OpenIdConnectionRow): Promise<PortalGroups | undefined> {
    const { query, sealer } = this.#dependencies
    const groups = await createPortalClient(row.issuer, this.#dependencies).readGroups(registrationOf(row, sealer))
    const text = JSON.stringify(groups)
    if (groups !== undefined && text !== row.groups) await store.updateConnectionGroups(query, row.client_id, text)
    return groups
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
