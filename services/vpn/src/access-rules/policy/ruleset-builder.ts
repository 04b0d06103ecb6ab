import { createHash } from 'node:crypto'
import { networkOf } from '../../wireguard/network-address.ts'
import type { CompiledPeers, PeerClass } from './compiled-peers.ts'
import { familyOf, type Policy, type PolicyRule, type Subject } from './policy.ts'
import {
  dynamic,
  type Family,
  maxSourceLines,
  type NamedSet,
  rememberedConnections,
  type Ruleset,
} from './ruleset-parts.ts'
import { SourceMaps } from './source-maps.ts'

/** What is kept from one ruleset to the next. */
export interface KeptParts {
  readonly peers: CompiledPeers
  /** By the name of the map. */
  readonly maps: Map<string, SourceMaps>
}

/** Collects sets and chains. */
export class RulesetBuilder implements Ruleset {
  readonly sets = new Map<string, NamedSet>()
  readonly chains = new Map<string, readonly string[]>()
  readonly policy: Policy
  readonly #kept: KeptParts

  constructor(policy: Policy, kept: KeptParts) {
    this.policy = policy
    this.#kept = kept
  }

  chain(name: string, lines: readonly string[]): void {
    this.chains.set(name, lines)
  }

  set(name: string, type: string, elements: readonly string[]): void {
    this.sets.set(name, { kind: 'set', type, flags: [], elements: new Map(elements.map((each) => [each, ''])) })
  }

  /** A set of networks of the tunnels or about them, of which those within another are left out. */
  intervals(name: string, family: Family, networks: (policy: Policy) => readonly string[]): void {
    const { interfaces } = this.policy
    const key = JSON.stringify([name, interfaces.map((one) => one.networks)])
    const ofFamily = () => networks(this.policy).filter((text) => familyOf(text) === family.number)
    this.sets.set(name, this.#kept.peers.intervals(key, family, ofFamily))
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
    const everybody = rules.filter(({ from }) => from.kind === 'everybody')
    const sources = this.#sources(rules)
    const lineCount = sources.reduce((sum, source) => sum + source.rules.length, everybody.length)
    const isShort = lineCount <= maxSourceLines
    const made = new Map<PolicyRule, readonly string[]>()
    const linesOf = (some: readonly PolicyRule[]) => [
      ...some.flatMap((rule) => {
        const lines = made.get(rule) ?? this.#lines(family, rule, !isShort)
        made.set(rule, lines)
        return lines
      }),
      end,
    ]
    this.chain(`${name}_rest`, linesOf(isShort ? everybody : rules))
    const chains = new Map<PeerClass, string>()
    for (const { rules: own, classes } of isShort ? sources : []) {
      const lines = linesOf(own)
      const chain = `${name}_${createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 16)}`
      this.chain(chain, lines)
      for (const each of classes) chains.set(each, chain)
    }
    const maps = this.#kept.maps.get(name) ?? new SourceMaps()
    this.#kept.maps.set(name, maps)
    const { elements, networks } = maps.compile(this.#kept.peers, family, chains)
    const type = `${family.type} : verdict`
    this.sets.set(name, { kind: 'map', type, flags: [], elements })
    this.sets.set(`${name}_nets`, { kind: 'map', type, flags: ['flags interval'], elements: networks })
    return [`${family.saddr} vmap @${name}`, `${family.saddr} vmap @${name}_nets`, `goto ${name}_rest`]
  }

  /** Peers that more than the rules for everybody speak of, those with the same rules together. */
  #sources(rules: readonly PolicyRule[]): { rules: PolicyRule[]; classes: PeerClass[] }[] {
    const { peers } = this.#kept
    const subjects = new Set(rules.flatMap(({ from }) => (from.kind === 'everybody' ? [] : [from.id])))
    const named = [...subjects].flatMap((id) => peers.named(id) ?? [])
    const bySubjects = new Map<string, { spoken: string[]; classes: PeerClass[] }>()
    for (const each of [...peers.classes, ...named]) {
      const spoken = each.subjects.filter((subject) => subjects.has(subject))
      if (spoken.length === 0) continue
      const known = bySubjects.get(spoken.join()) ?? { spoken, classes: [] }
      known.classes.push(each)
      bySubjects.set(spoken.join(), known)
    }
    return [...bySubjects.values()].map(({ spoken, classes }) => ({
      rules: rules.filter(({ from }) => from.kind === 'everybody' || spoken.includes(from.id)),
      classes,
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
    const { peers } = this.#kept
    if (subject.kind === 'everybody') return ['']
    if (subject.kind === 'peer') {
      const own = [...peers.addresses(subject.id, family), ...peers.networks(subject.id, family)]
      return own.length === 0 ? [] : [`${selector} ${own.length === 1 ? own[0] : `{ ${own.join(', ')} }`}`]
    }
    if (!this.policy.groups.has(subject.id)) return []
    const name = `g${subject.id.replaceAll(/[^0-9a-z]/g, '')}_${family.number}`
    const { own, networks } = peers.group(subject.id, family)
    this.sets.set(name, own)
    if (networks !== undefined) this.sets.set(`${name}_nets`, networks)
    return [`${selector} @${name}`, ...(networks === undefined ? [] : [`${selector} @${name}_nets`])]
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
