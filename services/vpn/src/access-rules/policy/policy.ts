/**
 * Access between peers as values: who is in which group, which rules hold in which order, and what they are about. What
 * decides a question and what writes the kernel's rules both read these.
 */
import { BlockList, isIPv6 } from 'node:net'

/** Letting through or refusing. */
export type Action = 'allow' | 'deny'

/** A peer as far as rules go. */
export interface PolicyPeer {
  readonly id: string
  readonly name: string
  readonly interface: string
  /** Tunnel addresses without prefix, IPv4 first. */
  readonly addresses: readonly string[]
  /** Networks behind it, CIDR without host bits: their hosts are it, as far as rules go. */
  readonly networks: readonly string[]
  /** Tags as they are compared. */
  readonly tags: readonly string[]
  readonly isIsolated: boolean
}

/** Peers under one name: those put in by hand and those with one of the tags. */
export interface PolicyGroup {
  readonly id: string
  readonly name: string
  readonly peers: ReadonlySet<string>
  /** Tags as they are compared. */
  readonly tags: readonly string[]
}

/** Peers that a rule speaks of. */
export type Subject =
  | { readonly kind: 'everybody' }
  | { readonly kind: 'group'; readonly id: string }
  | { readonly kind: 'peer'; readonly id: string }

/** What a rule is about; `everybody` stands for every address in the tunnels' networks. */
export type Target =
  | Subject
  | { readonly kind: 'network'; readonly network: string }
  | { readonly kind: 'internet' }
  | { readonly kind: 'gateway' }

export type Protocol = 'any' | 'tcp' | 'udp' | 'icmp'

/** First and last port. */
export type PortRange = readonly [number, number]

/** One rule. */
export interface PolicyRule {
  readonly id: string
  /** Its place in the list, in which rules that are off count. */
  readonly number: number
  readonly from: Subject
  readonly to: Target
  readonly protocol: Protocol
  /** None for every port; TCP and UDP only. */
  readonly ports: readonly PortRange[]
  readonly action: Action
}

/** An interface as far as rules go. */
export interface PolicyInterface {
  readonly name: string
  /** CIDR form without host bits. */
  readonly networks: readonly string[]
  /** This host on the tunnel, without prefixes. */
  readonly addresses: readonly string[]
  /** Resolvers that its peers are given: they are always reached. */
  readonly resolvers: readonly string[]
  readonly forwarding: boolean
  /** Action for what no rule matches. */
  readonly otherwise: Action
}

/** Everything that decides what peers reach. */
export interface Policy {
  readonly interfaces: readonly PolicyInterface[]
  /** By id. */
  readonly peers: ReadonlyMap<string, PolicyPeer>
  readonly groups: ReadonlyMap<string, PolicyGroup>
  /** Rules in force: the first that matches decides. */
  readonly rules: readonly PolicyRule[]
}

/** True when nothing is decided differently than without a policy. */
export function isOpen({ rules, interfaces }: Policy): boolean {
  return rules.length === 0 && interfaces.every(({ otherwise }) => otherwise === 'allow')
}

/** Port of DNS, which peers always reach at the gateway and at the resolvers in their configuration. */
export const dnsPort = 53

export const familyOf = (address: string): 4 | 6 => (address.includes(':') ? 6 : 4)

/** Networks that are not the internet, besides the tunnels' own. */
export const privateNetworks: readonly string[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '224.0.0.0/3',
  '::/8',
  'fc00::/7',
  'fe80::/9',
  'ff00::/8',
]

/** Returns the test of whether an address lies in one of these networks. */
export function createNetworkTest(networks: readonly string[]): (address: string) => boolean {
  // A list each: an IPv4 address counts as mapped in an IPv6 network.
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() }
  const kindOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4')
  for (const network of networks) {
    const [address = '', prefix = ''] = network.split('/')
    lists[kindOf(address)].addSubnet(address, Number(prefix), kindOf(address))
  }
  return (address) => lists[kindOf(address)].check(address, kindOf(address))
}

/** Networks of all tunnels, and those behind their peers. */
export function tunnelNetworks({ interfaces, peers }: Pick<Policy, 'interfaces' | 'peers'>): string[] {
  const all = interfaces.flatMap(({ networks }) => networks)
  for (const { networks } of peers.values()) all.push(...networks)
  return all
}

/** Networks that are not the internet. */
export const localNetworks = (policy: Policy): string[] => [...privateNetworks, ...tunnelNetworks(policy)]

/** Who is in which group. */
export class Memberships {
  readonly #members = new Map<string, Set<string>>()
  readonly #groups = new Map<string, Set<string>>()

  constructor({ peers, groups }: Pick<Policy, 'peers' | 'groups'>) {
    const byTag = new Map<string, string[]>()
    for (const group of groups.values()) {
      this.#members.set(group.id, new Set())
      for (const id of group.peers) if (peers.has(id)) this.#add(id, group.id)
      for (const tag of group.tags) byTag.set(tag, [...(byTag.get(tag) ?? []), group.id])
    }
    if (byTag.size === 0) return
    for (const peer of peers.values())
      for (const tag of peer.tags) for (const group of byTag.get(tag) ?? []) this.#add(peer.id, group)
  }

  /** Ids of a group's members. */
  members(group: string): ReadonlySet<string> {
    return this.#members.get(group) ?? none
  }

  /** Ids of the groups that a peer is in. */
  groupsOf(peer: string): ReadonlySet<string> {
    return this.#groups.get(peer) ?? none
  }

  /** True if the subject speaks of the peer; `undefined` is an address that no peer has. */
  includes(subject: Subject, peer: string | undefined): boolean {
    if (subject.kind === 'everybody') return true
    if (peer === undefined) return false
    return subject.kind === 'peer' ? subject.id === peer : this.members(subject.id).has(peer)
  }

  #add(peer: string, group: string): void {
    this.#members.get(group)?.add(peer)
    const known = this.#groups.get(peer)
    if (known === undefined) this.#groups.set(peer, new Set([group]))
    else known.add(group)
  }
}

const none: ReadonlySet<string> = new Set()
