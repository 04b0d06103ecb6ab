import { createHash } from 'node:crypto'
import { isIP } from 'node:net'
import { checkedInterfaceName, DeviceError } from '../../wireguard/device.ts'
import { networkOf, parseNetworkAddress } from '../../wireguard/network-address.ts'
import { familyOf, Memberships, type Policy, type PolicyRule, type Subject } from './policy.ts'

/** A named set or map of a table. */
export interface NamedSet {
  /** `set` or `map` with its type and flags. */
  readonly kind: 'set' | 'map'
  readonly type: string
  readonly flags: readonly string[]
  /** Elements, with their verdicts in a map. */
  readonly elements: ReadonlyMap<string, string>
}

/** Contents of a table of the firewall. */
export interface Ruleset {
  readonly sets: ReadonlyMap<string, NamedSet>
  /** Lines of each chain. */
  readonly chains: ReadonlyMap<string, readonly string[]>
}

/** Family of addresses, as a rule of nft selects it. */
export interface Family {
  readonly number: 4 | 6
  readonly saddr: string
  readonly daddr: string
  readonly type: string
  readonly icmp: number
}

/** Both families. */
export const families: readonly Family[] = [
  { number: 4, saddr: 'ct original ip saddr', daddr: 'ct original ip daddr', type: 'ipv4_addr', icmp: 1 },
  { number: 6, saddr: 'ct original ip6 saddr', daddr: 'ct original ip6 daddr', type: 'ipv6_addr', icmp: 58 },
]

/** Rule lines of all sources together; beyond that every source passes all rules. */
export const maxSourceLines = 20_000

/** Flags of sets that packets fill. */
export const dynamic = 'flags dynamic,timeout'

/** Connections that are remembered as decided, of each kind. */
const rememberedConnections = 32_768

/** Collects sets and chains. */
export class RulesetBuilder implements Ruleset {
  readonly sets = new Map<string, NamedSet>()
  readonly chains = new Map<string, readonly string[]>()
  readonly policy: Policy
  readonly #memberships: Memberships

  constructor(policy: Policy) {
    this.policy = policy
    this.#memberships = new Memberships(policy)
  }

  chain(name: string, lines: readonly string[]): void {
    this.chains.set(name, lines)
  }

  set(name: string, type: string, elements: readonly string[]): void {
    this.sets.set(name, { kind: 'set', type, flags: [], elements: new Map(elements.map((each) => [each, ''])) })
  }

  /** A set of networks, of which those within another are left out. */
  intervals(name: string, type: string, networks: readonly string[]): void {
    const elements = new Map(withoutCovered(networks).map((network) => [network, '']))
    this.sets.set(name, { kind: 'set', type, flags: ['flags interval'], elements })
  }

  memory(name: string, type: string): void {
    const flags = [`size ${rememberedConnections}`, dynamic, 'timeout 1m']
    this.sets.set(name, { kind: 'set', type, flags, elements: new Map() })
  }

  /**
   * A map from a source's address to the chain of the rules that speak of it, and the chain of all other sources. Sources
   * with the same rules share a chain. Networks behind peers have a map of intervals of their own, so that addresses are found by
   * a hash. Returns the lines that lead there.
   */
  dispatch(
    family: Family,
    { rules, label, end }: { rules: readonly PolicyRule[]; label: string; end: string },
  ): string[] {
    const name = `${label}${family.number}`
    const elements = new Map<string, string>()
    const networks = new Map<string, string>()
    const everybody = rules.filter(({ from }) => from.kind === 'everybody')
    const sources = this.#sources(rules)
    const lineCount = sources.reduce((sum, source) => sum + source.rules.length, everybody.length)
    const isShort = lineCount <= maxSourceLines
    const linesOf = (some: readonly PolicyRule[]) => [
      ...some.flatMap((rule) => this.#lines(family, rule, !isShort)),
      end,
    ]
    this.chain(`${name}_rest`, linesOf(isShort ? everybody : rules))
    for (const { rules: own, peers } of isShort ? sources : []) {
      const lines = linesOf(own)
      const chain = `${name}_${createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 16)}`
      this.chain(chain, lines)
      for (const address of peers.flatMap((id) => this.#addresses(id, family))) elements.set(address, `goto ${chain}`)
      for (const network of peers.flatMap((id) => this.#networks(id, family))) networks.set(network, `goto ${chain}`)
    }
    const type = `${family.type} : verdict`
    this.sets.set(name, { kind: 'map', type, flags: [], elements })
    this.sets.set(`${name}_nets`, { kind: 'map', type, flags: ['flags interval'], elements: networks })
    return [`${family.saddr} vmap @${name}`, `${family.saddr} vmap @${name}_nets`, `goto ${name}_rest`]
  }

  /** Peers that more than the rules for everybody speak of, those with the same rules together. */
  #sources(rules: readonly PolicyRule[]): { rules: PolicyRule[]; peers: string[] }[] {
    const named = rules.filter(({ from }) => from.kind !== 'everybody')
    const bySubject = Map.groupBy(named, ({ from }) => (from.kind === 'everybody' ? '' : from.id))
    const bySubjects = new Map<string, { subjects: string[]; peers: string[] }>()
    for (const { id } of this.policy.peers.values()) {
      const subjects = [id, ...this.#memberships.groupsOf(id)].filter((each) => bySubject.has(each)).sort()
      if (subjects.length === 0) continue
      const key = subjects.join()
      const known = bySubjects.get(key)
      if (known === undefined) bySubjects.set(key, { subjects, peers: [id] })
      else known.peers.push(id)
    }
    return [...bySubjects.values()].map(({ subjects, peers }) => ({
      rules: rules.filter(({ from }) => from.kind === 'everybody' || subjects.includes(from.id)),
      peers,
    }))
  }

  /** The rule as lines; none when it cannot match in this family. */
  #lines(family: Family, rule: PolicyRule, withSource: boolean): string[] {
    const sources = withSource ? this.#subject(family, family.saddr, rule.from) : ['']
    const service = serviceOf(family, rule)
    if (service === undefined) return []
    const verdict = rule.action === 'allow' ? `goto allowed${family.number}` : `goto refused${family.number}`
    const targets = this.#target(family, rule)
    return sources.flatMap((source) =>
      targets.map((target) => [source, target, service, verdict].filter((part) => part !== '').join(' ')),
    )
  }

  /** Matches of which one must hold; none when none can. */
  #target(family: Family, { to }: PolicyRule): string[] {
    const { number, daddr } = family
    switch (to.kind) {
      case 'gateway':
        return ['']
      case 'internet':
        return [`${daddr} != @local${number}`]
      case 'everybody':
        return [`${daddr} @networks${number}`]
      case 'network': {
        if (familyOf(to.network) !== number) return []
        return [to.network.endsWith('/0') ? '' : `${daddr} ${networkOf(to.network)}`]
      }
      case 'group':
      case 'peer':
        return this.#subject(family, daddr, to)
    }
  }

  /** Matches of an address against a subject, of which one must hold; none when it has no address of the family. */
  #subject(family: Family, selector: string, subject: Subject): string[] {
    if (subject.kind === 'everybody') return ['']
    if (subject.kind === 'peer') {
      const own = [...this.#addresses(subject.id, family), ...this.#networks(subject.id, family)]
      return own.length === 0 ? [] : [`${selector} ${own.length === 1 ? own[0] : `{ ${own.join(', ')} }`}`]
    }
    if (!this.policy.groups.has(subject.id)) return []
    const name = `g${subject.id.replaceAll(/[^0-9a-z]/g, '')}_${family.number}`
    if (!this.sets.has(name)) {
      const members = [...this.#memberships.members(subject.id)]
      this.set(
        name,
        family.type,
        members.flatMap((id) => this.#addresses(id, family)),
      )
      const networks = members.flatMap((id) => this.#networks(id, family))
      if (networks.length > 0) this.intervals(`${name}_nets`, family.type, networks)
    }
    return [`${selector} @${name}`, ...(this.sets.has(`${name}_nets`) ? [`${selector} @${name}_nets`] : [])]
  }

  #networks(id: string, { number }: Family): string[] {
    const networks = this.policy.peers.get(id)?.networks ?? []
    return networks.filter((network) => familyOf(network) === number).map(networkOf)
  }

  #addresses(id: string, { number }: Family): string[] {
    const addresses = this.policy.peers.get(id)?.addresses ?? []
    return addresses.filter((address) => familyOf(address) === number).map(checked)
  }
}

function serviceOf(family: Family, { protocol, ports }: PolicyRule): string | undefined {
  if (protocol === 'any') return ''
  if (protocol === 'icmp') return `meta l4proto ${family.icmp}`
  const transport = `meta l4proto ${protocol === 'tcp' ? 6 : 17}`
  if (ports.length === 0) return transport
  return `${transport} ct original proto-dst { ${mergedPorts(ports).join(', ')} }`
}

/** Ranges that touch become one: nft takes none that overlap. */
function mergedPorts(ports: PolicyRule['ports']): string[] {
  const merged: [number, number][] = []
  for (const [first, last] of ports.toSorted(([a], [b]) => a - b)) {
    const previous = merged.at(-1)
    if (previous !== undefined && first <= previous[1] + 1) previous[1] = Math.max(previous[1], last)
    else merged.push([first, last])
  }
  return merged.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`))
}

/** Leaves out each network that lies within another. */
function withoutCovered(networks: readonly string[]): string[] {
  const kept = new Set<string>()
  const lengths = new Set<number>()
  const byLength = [...new Set(networks.map(networkOf))]
    .map(parseNetworkAddress)
    .toSorted((a, b) => a.prefix - b.prefix)
  for (const { address, prefix } of byLength) {
    const isCovered = [...lengths].some((length) => kept.has(networkOf(`${address}/${length}`)))
    if (isCovered) continue
    kept.add(`${address}/${prefix}`)
    lengths.add(prefix)
  }
  return [...kept]
}

/** Addresses are checked before they get here; checked again, because they go into a rule file. */
export function checked(address: string): string {
  if (isIP(address) === 0 || address.includes('%')) throw new DeviceError('not an address')
  return address
}
/** An interface's name as nft takes it; checked again too. */
export const quoted = (name: string): string => `"${checkedInterfaceName(name)}"`
