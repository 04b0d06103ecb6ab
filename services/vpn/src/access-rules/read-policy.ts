import type { Kysely } from 'kysely'
import { splitList } from '../envelope.ts'
import { networksBehind } from '../interfaces/desired-devices.ts'
import { canonicalIpv6, subnet4, subnet6 } from '../interfaces/subnet.ts'
import type { Tables } from '../tables.ts'
import type { AccessGroupRow, AccessRuleRow } from './tables.ts'
import type {
  Policy,
  PolicyGroup,
  PolicyInterface,
  PolicyPeer,
  PolicyRule,
  PortRange,
  Target,
} from './policy/policy.ts'
import * as store from './store.ts'

/** What operators wrote, without the peers it is about. */
export interface PolicyFrame {
  readonly interfaces: readonly PolicyInterface[]
  readonly groups: ReadonlyMap<string, PolicyGroup>
  /** All rules in their order, as stored. */
  readonly rows: readonly AccessRuleRow[]
  readonly groupRows: readonly AccessGroupRow[]
}

/** Reads interfaces, groups and rules. */
export async function readFrame(db: Kysely<Tables>): Promise<PolicyFrame> {
  const closed = await store.closedInterfaces(db)
  const members = Map.groupBy(await store.groupPeerRows(db), (row) => row.group_id)
  const groupRows = await store.allGroupRows(db)
  const groups = groupRows.map(({ id, name, tags }): PolicyGroup => {
    const peers = new Set((members.get(id) ?? []).map((row) => row.peer_id))
    return { id, name, peers, tags: (JSON.parse(tags) as string[]).map(tagKey) }
  })
  return {
    interfaces: (await store.accessInterfaceRows(db)).map((row) => interfaceOf(row, closed)),
    groups: new Map(groups.map((group) => [group.id, group])),
    rows: await store.allAccessRuleRows(db),
    groupRows,
  }
}

/** Reads the whole policy. */
export async function readPolicy(db: Kysely<Tables>): Promise<Policy> {
  const peers = (await store.accessPeerRows(db)).map(policyPeer)
  return policyOf(await readFrame(db), new Map(peers.map((peer) => [peer.id, peer])))
}

/** Reads rules and interfaces again, and keeps the groups that are known. */
export async function readRules(db: Kysely<Tables>, { groups, groupRows }: PolicyFrame): Promise<PolicyFrame> {
  const closed = await store.closedInterfaces(db)
  const interfaces = (await store.accessInterfaceRows(db)).map((row) => interfaceOf(row, closed))
  return { interfaces, groups, groupRows, rows: await store.allAccessRuleRows(db) }
}

/** Returns the policy for peers. */
export function policyOf(frame: PolicyFrame, peers: ReadonlyMap<string, PolicyPeer>): Policy {
  const rules = frame.rows.flatMap((row, index) => (row.enabled === 1 ? [ruleOf(row, index + 1)] : []))
  return { interfaces: frame.interfaces, groups: frame.groups, peers, rules }
}

/** A tag as it is compared; see `peers/tags.ts`. */
export const tagKey = (tag: string): string => tag.normalize('NFKC').toLowerCase()

/** Returns a peer as far as rules go. */
export function policyPeer(row: store.AccessPeerRow): PolicyPeer {
  return {
    id: row.id,
    name: row.name,
    interface: row.interface,
    addresses: row.ipv6 === null ? [row.ip] : [row.ip, row.ipv6],
    networks: networksBehind(row),
    tags: row.tag_keys.split('\n').filter((tag) => tag !== ''),
    isIsolated: row.client_isolation === 1,
  }
}

/** Ports as stored. */
export const portsOf = ({ ports }: Pick<AccessRuleRow, 'ports'>): PortRange[] => JSON.parse(ports) as PortRange[]

function interfaceOf(row: store.AccessInterfaceRow, closed: ReadonlySet<string>): PolicyInterface {
  const [own, own6] = [subnet4(row.address), row.address6 === null ? undefined : subnet6(row.address6)]
  return {
    name: row.name,
    networks: own6 === undefined ? [own.cidr] : [own.cidr, own6.cidr],
    addresses: own6 === undefined ? [own.address] : [own.address, own6.address],
    resolvers: splitList(row.dns).map((address) => (address.includes(':') ? canonicalIpv6(address) : address)),
    forwarding: row.forwarding === 1,
    otherwise: closed.has(row.name) ? 'deny' : 'allow',
  }
}

function ruleOf(row: AccessRuleRow, number: number): PolicyRule {
  const { id, protocol, action } = row
  return {
    id,
    number,
    from: targetOf(row.from_kind, { group: row.from_group, peer: row.from_peer }) as PolicyRule['from'],
    to: targetOf(row.to_kind, { group: row.to_group, peer: row.to_peer, network: row.to_network }),
    protocol,
    ports: portsOf(row),
    action,
  }
}

function targetOf(
  kind: AccessRuleRow['to_kind'],
  named: { group: string | null; peer: string | null; network?: string | null },
): Target {
  if (kind === 'group' || kind === 'peer') return { kind, id: named[kind] ?? '' }
  if (kind === 'network') return { kind, network: named.network ?? '' }
  return { kind }
}
