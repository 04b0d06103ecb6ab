import { randomUUIDv7 } from 'node:crypto'
import type { Sealer } from '@hearth/credentials'
import { parseIsoTime } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { InterfaceRow, PeerRow, Tables } from '../tables.ts'
import { nameKey } from '../envelope.ts'
import { networksBehind, sealContext } from '../interfaces/desired-devices.ts'
import { canonicalIpv6, isPeerAddress4, isPeerAddress6, numberOfIpv4, subnet4, subnet6 } from '../interfaces/subnet.ts'
import { limitColumns } from '../limits/peer-limits.ts'
import { conflict, invalidField } from '../problems.ts'
import { generateKeyPair, generatePresharedKey } from '../wireguard/keys.ts'
import { networkOf } from '../wireguard/network-address.ts'
import { allocateAddress, mirroredIpv6, type FreeAddress } from './allocate-address.ts'
import { type NetworkContext, networksColumn } from '../site-networks/site-networks.ts'
import { freeDnsNumber } from './dns-number.ts'
import type { PeerCreate, PeerUpdate, RoutingMode } from './schema.ts'
import { tagColumns } from './tags.ts'
import { findInterfaceByKey, findKeyOwners, findPeersWith, listIds } from './store.ts'

/** Members that are unique among peers. */
export const uniqueMembers = ['name', 'ipv6', 'ip', 'public_key'] as const

/** Settings that a new peer takes over when it names no others. */
export interface PeerDefaults {
  readonly default_routing_mode: RoutingMode
  readonly default_persistent_keepalive: number
}

/** Keys that a peer has already. Secrets, but for the public one. */
export interface PeerKeys {
  readonly publicKey: string
  /** Null when only the device has it. */
  readonly privateKey: string | null
  /** Null for none. */
  readonly presharedKey: string | null
}

/** Context in which a peer is created. */
export interface NewPeerContext {
  readonly sealer: Sealer
  readonly settings: () => PeerDefaults
  readonly now: number
  /** What networks behind a peer are checked against, beside the database. */
  readonly networks: Omit<NetworkContext, 'allowHostOverlap'>
  /** Draws the numbers of peers in the resolver; chance, unless a test says otherwise. */
  readonly drawNumber?: () => number
}

/** A row for a new peer with its own address. Throws a `Problem` that names the member which cannot be. */
export async function newPeerRow(
  trx: Kysely<Tables>,
  on: InterfaceRow,
  { input, context, keys }: { input: PeerCreate; context: NewPeerContext; keys?: PeerKeys },
): Promise<PeerRow> {
  const id = randomUUIDv7()
  const settings = context.settings()
  const routingMode = input.routing_mode ?? settings.default_routing_mode
  const row: PeerRow = {
    id,
    name: input.name,
    name_key: nameKey(input.name),
    interface: on.name,
    ...(await chosenAddress(trx, on, input)),
    routing_mode: routingMode,
    allowed_ips: JSON.stringify(listedNetworks(routingMode, input.allowed_ips ?? [])),
    persistent_keepalive: input.persistent_keepalive ?? settings.default_persistent_keepalive,
    enabled: input.enabled === false ? 0 : 1,
    expires_at: timeOf(input.expires_at),
    client_isolation: input.client_isolation === true ? 1 : 0,
    dns_number: await freeDnsNumber(trx, context.drawNumber),
    dns_filtering: 1,
    dns_lists: null,
    dns_logging: 1,
    limit_down: null,
    limit_up: null,
    networks: null,
    given_routes: null,
    next_public_key: null,
    next_private_key: null,
    next_preshared_key: null,
    next_due: null,
    endpoint_changed_at: null,
    standby_changed_at: null,
    ...(await networkColumns(trx, { id, on, isIsolated: input.client_isolation === true }, { input, context })),
    ...limitColumns(input),
    ...tagColumns(input.tags ?? []),
    ...(await changedFiltering(trx, input)),
    ...(keys === undefined ? newKeys(id, context.sealer, input) : sealedKeys(id, context.sealer, keys)),
    created_at: context.now,
    updated_at: context.now,
  }
  await checkUnique(trx, row)
  return row
}

/** The columns a change of a peer sets. */
export async function changedPeerColumns(
  trx: Kysely<Tables>,
  { row, on }: { row: PeerRow; on: InterfaceRow },
  { changes, context }: { changes: PeerUpdate; context: NewPeerContext },
): Promise<Partial<PeerRow>> {
  if (changes.interface !== undefined && changes.interface !== row.interface) {
    throw invalidField('interface', 'cannot change; create the peer on the other interface instead')
  }
  const routingMode = changes.routing_mode ?? row.routing_mode
  const networks = changes.allowed_ips ?? (JSON.parse(row.allowed_ips) as string[])
  const columns: Partial<PeerRow> = {
    ...changedAddress(on, changes),
    ...changedKeys(row, changes, context.sealer),
    ...(await changedFiltering(trx, changes)),
    ...limitColumns(changes),
    ...(await changedNetworks(trx, { row, on }, { changes, context })),
    routing_mode: routingMode,
    allowed_ips: JSON.stringify(listedNetworks(routingMode, networks)),
    updated_at: context.now,
  }
  if (changes.name !== undefined) Object.assign(columns, { name: changes.name, name_key: nameKey(changes.name) })
  if (changes.persistent_keepalive !== undefined) columns.persistent_keepalive = changes.persistent_keepalive
  if (changes.enabled !== undefined) columns.enabled = changes.enabled ? 1 : 0
  if (changes.expires_at !== undefined) columns.expires_at = timeOf(changes.expires_at)
  if (changes.tags !== undefined) Object.assign(columns, tagColumns(changes.tags))
  if (changes.client_isolation !== undefined) columns.client_isolation = changes.client_isolation ? 1 : 0
  await checkUnique(trx, { ...row, ...columns })
  return columns
}

/** The networks of a peer when a change sets them. Hosts behind an isolated peer would reach what it does not. */
async function networkColumns(
  trx: Kysely<Tables>,
  { isIsolated, ...owner }: { id: string; on: InterfaceRow; isIsolated: boolean },
  { input, context }: { input: Pick<PeerUpdate, 'networks' | 'allow_host_overlap'>; context: NewPeerContext },
): Promise<Partial<Pick<PeerRow, 'networks'>>> {
  const { networks: given, allow_host_overlap: overlap } = input
  if (given === undefined) return {}
  if (given.length > 0 && isIsolated) throw invalidField('networks', 'must be empty for an isolated peer')
  return {
    networks: await networksColumn(trx, owner, {
      given,
      context: { ...context.networks, allowHostOverlap: overlap === true },
    }),
  }
}

function changedNetworks(
  trx: Kysely<Tables>,
  { row, on }: { row: PeerRow; on: InterfaceRow },
  { changes, context }: { changes: PeerUpdate; context: NewPeerContext },
): Promise<Partial<Pick<PeerRow, 'networks'>>> {
  const isIsolated = changes.client_isolation ?? row.client_isolation === 1
  const hasNetworks = changes.networks === undefined && networksBehind(row).length > 0
  if (hasNetworks && isIsolated)
    throw invalidField('client_isolation', 'must be off for a peer with networks behind it')
  return networkColumns(trx, { id: row.id, on, isIsolated }, { input: changes, context })
}

/** Returns the filtering columns that a change sets. */
async function changedFiltering(
  trx: Kysely<Tables>,
  input: Pick<PeerUpdate, 'use_adblocker' | 'blocklist_ids' | 'dns_logging_enabled'>,
): Promise<Partial<Pick<PeerRow, 'dns_filtering' | 'dns_lists' | 'dns_logging'>>> {
  const { use_adblocker: filtering, blocklist_ids: lists, dns_logging_enabled: logging } = input
  if (lists !== undefined && lists !== null) await checkLists(trx, lists)
  return {
    ...(filtering === undefined ? {} : { dns_filtering: Number(filtering) }),
    ...(lists === undefined ? {} : { dns_lists: lists === null ? null : JSON.stringify([...new Set(lists)]) }),
    ...(logging === undefined ? {} : { dns_logging: Number(logging) }),
  }
}

async function checkLists(trx: Kysely<Tables>, ids: readonly string[]): Promise<void> {
  const known = await listIds(trx)
  const unknown = ids.findIndex((id) => !known.has(id))
  if (unknown !== -1) throw invalidField(`blocklist_ids.${unknown}`, 'is no block list’s id', 'unknown')
}

async function chosenAddress(trx: Kysely<Tables>, on: InterfaceRow, input: PeerCreate): Promise<FreeAddress> {
  if (input.ip === undefined) {
    const free = await allocateAddress(trx, on)
    if (free === undefined) throw conflict('ip', `Every address of ${on.name} is taken`, { code: 'pool_exhausted' })
    return { ...free, ...changedAddress(on, input) }
  }
  const { ip = input.ip, ip_number = numberOfIpv4(ip), ipv6 = mirroredIpv6(on, ip_number) } = changedAddress(on, input)
  if (ipv6 === undefined) throw invalidField('ipv6', `is needed: the one at the place of ${ip} is not free`)
  return { ip, ip_number, ipv6 }
}

/** Columns for the requested addresses, checked against the interface's networks. */
function changedAddress(on: InterfaceRow, input: Pick<PeerUpdate, 'ip' | 'ipv6'>): Partial<FreeAddress> {
  const columns: Partial<FreeAddress> = {}
  if (input.ip !== undefined) {
    const number = numberOfIpv4(input.ip)
    if (!isPeerAddress4(subnet4(on.address), number))
      throw invalidField('ip', `must be a free host address in ${subnet4(on.address).cidr}`)
    Object.assign(columns, { ip: input.ip, ip_number: number })
  }
  if (input.ipv6 === null) columns.ipv6 = null
  if (typeof input.ipv6 === 'string') {
    if (on.address6 === null) throw invalidField('ipv6', `must be left out: ${on.name} has no IPv6`)
    const network = subnet6(on.address6)
    if (!isPeerAddress6(network, input.ipv6))
      throw invalidField('ipv6', `must be a free host address in ${network.cidr}`)
    columns.ipv6 = canonicalIpv6(input.ipv6)
  }
  return columns
}

function listedNetworks(mode: RoutingMode, networks: readonly string[]): string[] {
  if (mode === 'custom' && networks.length === 0)
    throw invalidField('allowed_ips', 'is needed with routing_mode custom')
  return [...new Set(networks.map(networkOf))]
}

type Keys = Pick<PeerRow, 'public_key' | 'private_key' | 'preshared_key'>

function newKeys(id: string, sealer: Sealer, input: Pick<PeerCreate, 'public_key' | 'use_preshared_key'>): Keys {
  const { public_key: publicKey, use_preshared_key: withPreshared } = input
  const pair = publicKey === undefined ? generateKeyPair() : { publicKey, privateKey: null }
  return sealedKeys(id, sealer, { ...pair, presharedKey: withPreshared === false ? null : generatePresharedKey() })
}

/** The columns for keys that a peer has already. */
export function sealedKeys(id: string, sealer: Sealer, { publicKey, privateKey, presharedKey }: PeerKeys): Keys {
  return {
    public_key: publicKey,
    private_key: privateKey === null ? null : sealer.seal(privateKey, sealContext.peerKey(id)),
    preshared_key: presharedKey === null ? null : sealer.seal(presharedKey, sealContext.presharedKey(id)),
  }
}

function changedKeys(row: PeerRow, changes: PeerUpdate, sealer: Sealer): Partial<PeerRow> {
  const keys: Partial<PeerRow> = {}
  if (changes.public_key !== undefined && changes.public_key !== row.public_key) {
    Object.assign(keys, { public_key: changes.public_key, private_key: null })
  }
  const newSecret = () => sealer.seal(generatePresharedKey(), sealContext.presharedKey(row.id))
  if (changes.use_preshared_key === false) Object.assign(keys, { preshared_key: null, next_preshared_key: null })
  if (changes.use_preshared_key === true && row.preshared_key === null) {
    keys.preshared_key = newSecret()
    if (row.next_public_key !== null) keys.next_preshared_key = newSecret()
  }
  return keys
}

/** The unique indexes say the same; this says who has it. An address with two peers would silently belong to the last. */
async function checkUnique(trx: Kysely<Tables>, row: PeerRow): Promise<void> {
  const others = (await findPeersWith(trx, row)).filter((other) => other.id !== row.id)
  for (const other of others) {
    if (other.name_key === row.name_key) throw conflict('name', `The name ${row.name} is taken`)
    if (other.ip === row.ip) throw conflict('ip', `The address ${row.ip} belongs to ${other.name}`)
    if (other.ipv6 !== null && other.ipv6 === row.ipv6)
      throw conflict('ipv6', `The address ${row.ipv6} belongs to ${other.name}`)
  }
  await checkPublicKey(trx, row)
}

/** Throws a `Problem` when a public key is one of another peer, or of an interface. */
export async function checkPublicKey(
  trx: Kysely<Tables>,
  { id, public_key: key }: Pick<PeerRow, 'id' | 'public_key'>,
): Promise<void> {
  for (const owner of await findKeyOwners(trx, key)) {
    if (owner.id === id && owner.next_public_key !== key) continue
    throw conflict('public_key', `The public key belongs to ${owner.name}`)
  }
  const own = await findInterfaceByKey(trx, key)
  if (own !== undefined) throw conflict('public_key', `The public key belongs to the interface ${own.name}`)
}

/** Milliseconds of a checked text; null for never. */
function timeOf(text: string | null | undefined): number | null {
  return text === undefined || text === null ? null : (parseIsoTime(text) ?? null)
}
