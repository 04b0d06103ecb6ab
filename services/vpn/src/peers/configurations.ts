import type { Sealer } from '@hearth/credentials'
import type { Kysely } from 'kysely'
import { gatewaysOf, sealContext } from '../interfaces/desired-devices.ts'
import { conflict, Problem } from '../problems.ts'
import { SiteRoutes } from '../site-networks/networks-of-others.ts'
import type { InterfaceRow, PeerRow, Tables } from '../tables.ts'
import { encodeConfiguration, routedNetworks } from './config-text.ts'
import { findInterface, findPeer } from './found-rows.ts'
import { updatePeerRow } from './store.ts'

export interface ConfigurationDependencies {
  readonly db: Kysely<Tables>
  readonly sealer: Sealer
  /** Called when a peer was handed a configuration with other networks or another endpoint than the one before. */
  readonly onConfigured: (id: string) => void
  /** Called when a key that waits was handed out. */
  readonly onNewKeyHandedOut: () => void
  /** The host of the `Endpoint` line for this host, or for a node; `host` is the one the request was sent to. */
  readonly publicEndpoint: (host: string, nodeId: string | null) => Promise<string>
}

/** A configuration as text; a secret. */
export interface Configuration {
  /** Name of the peer. */
  readonly name: string
  readonly text: string
}

/** The configurations of devices, as they are handed out. */
export class Configurations {
  readonly #dependencies: ConfigurationDependencies

  constructor(dependencies: ConfigurationDependencies) {
    this.#dependencies = dependencies
  }

  /** Makes the configuration of a device, for the standby of its interface if that is wanted; `host` is used when no public endpoint is set. */
  async read(id: string, host: string, isStandby = false): Promise<Configuration> {
    const { db, sealer, onNewKeyHandedOut } = this.#dependencies
    const row = await findPeer(db, id)
    const on = await findInterface(db, row.interface)
    const endpoints = await this.#endpoints(on, host, isStandby)
    const open = (sealed: string | null, place: string) => (sealed === null ? null : sealer.open(sealed, place))
    const listed = JSON.parse(row.allowed_ips) as string[]
    const routes = await SiteRoutes.read(db)
    const dns = resolversOf(on)
    // A key that waits is the one to hand out.
    const keys =
      row.next_public_key === null ? row : { private_key: row.next_private_key, preshared_key: row.next_preshared_key }
    const text = encodeConfiguration({
      name: row.name,
      privateKey: open(keys.private_key, sealContext.peerKey(id)),
      ip: row.ip,
      ipv6: row.ipv6,
      dns,
      mtu: on.mtu,
      serverPublicKey: on.public_key,
      presharedKey: open(keys.preshared_key, sealContext.presharedKey(id)),
      ...endpoints,
      allowedIps: routedNetworks(row.routing_mode, { listed, behindOthers: routes.ofOthers(row) }, { ...on, dns }),
      persistentKeepalive: row.persistent_keepalive,
    })
    if (row.next_public_key !== null) onNewKeyHandedOut()
    await this.#noteHandedOut(row, routes, isStandby)
    return { name: row.name, text }
  }

  /** Makes both configurations of a device. That for the standby is null without one, and while nobody knows its address. */
  async readBoth(id: string, host: string): Promise<Configuration & { readonly standby: string | null }> {
    const usual = await this.read(id, host)
    const standby = await this.read(id, host, true).catch((error: unknown) => {
      if (error instanceof Problem) return null
      throw error
    })
    return { ...usual, standby: standby?.text ?? null }
  }

  /** Where a configuration leads, and the other one of the device; that is left out while nobody knows its address. */
  async #endpoints(on: InterfaceRow, host: string, isStandby: boolean) {
    const { publicEndpoint } = this.#dependencies
    const { name, node_id: nodeId, standby_node_id: standbyId, listen_port: port } = on
    const endpointOf = async (id: string | null) => ({ host: await publicEndpoint(host, id), port })
    if (standbyId === null) {
      if (isStandby) throw conflict('standby', `The interface ${name} has no standby`)
      return { endpoint: await endpointOf(nodeId) }
    }
    const endpoint = await endpointOf(isStandby ? standbyId : nodeId)
    const other = await endpointOf(isStandby ? nodeId : standbyId).catch(() => null)
    return { endpoint, otherEndpoint: other === null ? null : { endpoint: other, isStandby: !isStandby } }
  }

  /** Notes that the peer was handed a configuration: networks are in both of them, an endpoint is in one. */
  async #noteHandedOut(row: PeerRow, routes: SiteRoutes, isStandby: boolean): Promise<void> {
    const given = routes.fingerprint(row)
    const changed = isStandby ? 'standby_changed_at' : 'endpoint_changed_at'
    const hasEndpoint = row[changed] !== null
    if (given === row.given_routes && !hasEndpoint) return
    const { db, onConfigured } = this.#dependencies
    await updatePeerRow(db, row.id, { given_routes: given, ...(hasEndpoint ? { [changed]: null } : {}) })
    if (hasEndpoint || routes.isOutdated(row)) onConfigured(row.id)
  }
}

/** The interface's resolvers; without any, the one of this service, at the interface's own addresses. */
function resolversOf(on: InterfaceRow): string {
  return on.dns === '' ? gatewaysOf(on).join(', ') : on.dns
}
