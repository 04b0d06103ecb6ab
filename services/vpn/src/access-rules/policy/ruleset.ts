import { CompiledPeers } from './compiled-peers.ts'
import { dnsPort, familyOf, localNetworks, type Policy, tunnelNetworks } from './policy.ts'
import { type KeptParts, RulesetBuilder } from './ruleset-builder.ts'
import { checked, families, type Family, quoted, type Ruleset } from './ruleset-parts.ts'

/** Compiles one policy after another, and makes of each only what is not as in the last one. */
export class PolicyCompiler {
  #kept: KeptParts | undefined

  /** `turn` names the memory of decisions: another one begins empty. */
  compile(policy: Policy, turn: 'a' | 'b'): Ruleset {
    if (this.#kept?.peers.isOf(policy) !== true) this.#kept = { peers: new CompiledPeers(policy), maps: new Map() }
    return compilePolicy(new RulesetBuilder(policy, this.#kept), turn)
  }
}

/**
 * Compiles a policy. Whatever the direction of a packet, its connection's first packet is what is judged: so answers come
 * back, and a rule that changes holds for connections that are open. A decided connection costs one look-up; another one
 * passes the rules that its source has.
 */
function compilePolicy(builder: RulesetBuilder, turn: 'a' | 'b'): Ruleset {
  const { policy } = builder
  const closed = policy.interfaces.filter(({ otherwise }) => otherwise === 'deny')
  builder.set(
    'tunnels',
    'ifname',
    policy.interfaces.map(({ name }) => quoted(name)),
  )
  builder.set(
    'closed',
    'ifname',
    closed.map(({ name }) => quoted(name)),
  )
  builder.chain('forward', [
    'type filter hook forward priority filter; policy accept;',
    // No connection is known of these: there is nothing to judge them by.
    'iifname @tunnels ct state invalid,untracked drop',
    // Errors about a connection that is let through, such as "too big".
    'ct state related meta l4proto { 1, 58 } accept',
    ...['iifname @tunnels ct direction original', 'oifname @tunnels ct direction reply'].map(
      (packets) => `${packets} meta nfproto vmap { ipv4 : goto judge4, ipv6 : goto judge6 }`,
    ),
  ])
  const hasGatewayRules = policy.rules.some(({ to }) => to.kind === 'gateway')
  builder.chain('input', [
    'type filter hook input priority filter; policy accept;',
    ...(hasGatewayRules
      ? ['iifname @tunnels ct direction original meta nfproto vmap { ipv4 : goto gateway4, ipv6 : goto gateway6 }']
      : []),
  ])
  for (const family of families) {
    compileMemory(builder, family, turn)
    compileForwarding(builder, family)
    if (hasGatewayRules) compileGateway(builder, family)
  }
  return builder
}

/** Sets and chains that remember what was decided of a connection. */
function compileMemory(builder: RulesetBuilder, { number, type, saddr, daddr }: Family, turn: string): void {
  const kinds = [
    { name: 'tcp', match: 'meta l4proto 6', last: 'inet_service', key: 'ct original proto-dst' },
    { name: 'udp', match: 'meta l4proto 17', last: 'inet_service', key: 'ct original proto-dst' },
    { name: 'other', match: 'meta l4proto != { 6, 17 }', last: 'inet_proto', key: 'meta l4proto' },
  ]
  const lines = { known: [] as string[], allowed: [] as string[], refused: [] as string[] }
  for (const [memory, verdict, chain, state] of [
    ['let', 'accept', 'allowed', ' ct state established'],
    ['cut', 'drop', 'refused', ''],
  ] as const)
    for (const { name, match, last, key } of kinds) {
      const set = `${memory}_${name}${number}_${turn}`
      builder.memory(set, `${type} . ${type} . ${last}`)
      lines.known.push(`${match} ${saddr} . ${daddr} . ${key} @${set} ${verdict}`)
      // Only what was answered is remembered as let through: nobody fills the memory by knocking at every port.
      lines[chain].push(`${match}${state} add @${set} { ${saddr} . ${daddr} . ${key} }`)
    }
  builder.chain(`known${number}`, lines.known)
  builder.chain(`allowed${number}`, [...lines.allowed, 'accept'])
  builder.chain(`refused${number}`, [...lines.refused, 'drop'])
  builder.chain(`otherwise${number}`, [
    `ct direction original iifname @closed goto refused${number}`,
    `ct direction reply oifname @closed goto refused${number}`,
    `goto allowed${number}`,
  ])
}

function compileForwarding(builder: RulesetBuilder, family: Family): void {
  const { number, type, daddr } = family
  const { policy } = builder
  const ofFamily = (texts: readonly string[]) => texts.filter((text) => familyOf(text) === number)
  builder.set(
    `resolvers${number}`,
    type,
    ofFamily(policy.interfaces.flatMap(({ resolvers }) => resolvers)).map(checked),
  )
  builder.intervals(`networks${number}`, family, tunnelNetworks)
  builder.intervals(`local${number}`, family, localNetworks)
  const rules = policy.rules.filter(({ to }) => to.kind !== 'gateway')
  const dispatch = builder.dispatch(family, { rules, label: 'from', end: `goto otherwise${number}` })
  builder.chain(`judge${number}`, [
    `jump known${number}`,
    ...[6, 17].map(
      (protocol) =>
        `${daddr} @resolvers${number} meta l4proto ${protocol} ct original proto-dst ${dnsPort} goto allowed${number}`,
    ),
    ...dispatch,
  ])
}

/** An isolated peer, or a rule, never keeps anybody from DNS and ping at the gateway. */
function compileGateway(builder: RulesetBuilder, family: Family): void {
  const { number } = family
  const rules = builder.policy.rules.filter(({ to }) => to.kind === 'gateway')
  const dispatch = builder.dispatch(family, { rules, label: 'gate', end: `goto allowed${number}` })
  builder.chain(`gateway${number}`, [
    'meta l4proto { 1, 58 } accept',
    `udp dport ${dnsPort} accept`,
    `tcp dport ${dnsPort} accept`,
    `jump known${number}`,
    ...dispatch,
  ])
}
