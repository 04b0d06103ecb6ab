import { createHash } from 'node:crypto'
import type { InterfaceRules } from './firewall.ts'
import { checkedInterfaceName } from './device.ts'
import { networkOf, parseNetworkAddress } from './network-address.ts'

/** The one table of this service; nothing outside it is ever touched. */
const tableName = 'inet hearth_vpn'

/**
 * One file for `nft -f` that replaces the whole table in one step: what was there before goes and the new rules come without
 * a gap. The number of rules does not grow with the number of peers.
 */
export function encodeTable(rules: readonly InterfaceRules[]): string {
  const { isolated4, isolated6 } = isolatedOf(rules)
  const names = rules.map(({ name }) => quotedName(name))
  const closed = rules.filter(({ forwarding }) => !forwarding).map(({ name }) => quotedName(name))
  const lines = [
    ...set('tunnels', 'ifname', names),
    ...set('closed', 'ifname', closed),
    ...set('isolated4', 'ipv4_addr', [...isolated4]),
    ...set('isolated6', 'ipv6_addr', [...isolated6]),
    ...chain('isolated_input', [...isolatedInput, ...rules.flatMap(openPage), 'drop']),
    ...chain('input', [
      'type filter hook input priority filter; policy accept;',
      ...rules.flatMap(closePage),
      ...input,
    ]),
    ...chain('forward', ['type filter hook forward priority filter; policy accept;', ...forward]),
    ...chain('postrouting', [
      'type nat hook postrouting priority srcnat; policy accept;',
      ...rules.flatMap(masquerade),
    ]),
  ]
  return `${encodeRemoval()}table ${tableName} {\n${lines.map((line) => `  ${line}\n`).join('')}}\n`
}

/** A file that removes the table, whether it is there or not. */
export function encodeRemoval(): string {
  return `add table ${tableName}\ndelete table ${tableName}\n`
}

/**
 * A file that changes the elements of the isolation sets alone, empty when nothing differs; undefined when more than these
 * elements differ and the table must be replaced.
 */
export function encodeElementChange(
  before: readonly InterfaceRules[],
  after: readonly InterfaceRules[],
): string | undefined {
  const frame = (rules: readonly InterfaceRules[]) => encodeTable(rules.map((each) => ({ ...each, isolated: [] })))
  if (frame(before) !== frame(after)) return undefined
  const [old, next] = [isolatedOf(before), isolatedOf(after)]
  return [
    elements('delete', 'isolated4', old.isolated4.difference(next.isolated4)),
    elements('add', 'isolated4', next.isolated4.difference(old.isolated4)),
    elements('delete', 'isolated6', old.isolated6.difference(next.isolated6)),
    elements('add', 'isolated6', next.isolated6.difference(old.isolated6)),
  ].join('')
}

const isolationSet = /(set (isolated[46]) \{[^{}]*?)(?:\s*elements = \{([^{}]*)\})?(\s*\})/g

/** Reads what `nft -s list table` says. */
export function readListing(text: string) {
  const lists: Record<string, readonly string[]> = {}
  for (const [, , name = '', elements = ''] of text.matchAll(isolationSet)) {
    const listed = elements.split(',').map((element) => element.trim())
    lists[name] = listed.filter((element) => element !== '')
  }
  const frame = text.replaceAll(isolationSet, '$1$4')
  return {
    /** Stands for everything but the elements of the isolation sets. */
    frame: createHash('sha256').update(frame).digest('hex'),
    /** Returns true if the isolation sets hold exactly the addresses of these rules. */
    holds(rules: readonly InterfaceRules[]): boolean {
      const wanted = isolatedOf(rules)
      return (['isolated4', 'isolated6'] as const).every((name) => {
        const listed = new Set(lists[name]?.map((address) => parseNetworkAddress(address).address))
        return listed.size === wanted[name].size && listed.isSubsetOf(wanted[name])
      })
    },
  }
}

/** An isolated peer reaches DNS and ping on the host, and answers to connections of the host are allowed. */
const isolatedInput = [
  'ct direction reply ct state established,related accept',
  'udp dport 53 accept',
  'tcp dport 53 accept',
  // icmp and ipv6-icmp: nft looks their names up in /etc/protocols, which a small Debian does not have.
  'meta l4proto { 1, 58 } accept',
]

const input = [
  'iifname @tunnels ip saddr @isolated4 goto isolated_input',
  'iifname @tunnels ip6 saddr @isolated6 goto isolated_input',
]

/** Packets for the page of an interface that did not come through it: their sources are bound to no key. */
const closePage = ({ name, page }: InterfaceRules): string[] =>
  pageSelectors(page).map((selector) => `iifname != ${quotedName(name)} ${selector} drop`)

/** An isolated peer reaches the page. */
const openPage = ({ page }: InterfaceRules): string[] => pageSelectors(page).map((selector) => `${selector} accept`)

function pageSelectors(page: InterfaceRules['page']): string[] {
  if (page === undefined) return []
  return page.addresses.map(parseNetworkAddress).map(({ family, address }) => {
    return `${family === 4 ? 'ip' : 'ip6'} daddr ${address} tcp dport ${Math.trunc(page.port)}`
  })
}

const forward = [
  'iifname @tunnels oifname @tunnels ip saddr @isolated4 drop',
  'iifname @tunnels oifname @tunnels ip daddr @isolated4 drop',
  'iifname @tunnels oifname @tunnels ip6 saddr @isolated6 drop',
  'iifname @tunnels oifname @tunnels ip6 daddr @isolated6 drop',
  'iifname @closed drop',
  'oifname @closed drop',
]

function masquerade({ name, nat, subnets, networks }: InterfaceRules): string[] {
  if (!nat) return []
  const rule = (family: 4 | 6, sources: string) =>
    `${family === 4 ? 'ip' : 'ip6'} saddr ${sources} oifname != ${quotedName(name)} masquerade`
  const behind = ([4, 6] as const).flatMap((family) => {
    const ofFamily = networks.filter((network) => parseNetworkAddress(network).family === family).map(networkOf)
    return ofFamily.length === 0 ? [] : [rule(family, `{ ${ofFamily.join(', ')} }`)]
  })
  return [...subnets.map((subnet) => rule(parseNetworkAddress(subnet).family, networkOf(subnet))), ...behind]
}

/** Addresses of isolated peers, sorted, by the set that holds them. */
function isolatedOf(rules: readonly InterfaceRules[]) {
  const addresses = rules.flatMap(({ isolated }) => isolated.map(parseNetworkAddress))
  const of = (family: 4 | 6) =>
    new Set(
      addresses
        .filter((each) => each.family === family)
        .map(({ address }) => address)
        .sort(),
    )
  return { isolated4: of(4), isolated6: of(6) }
}

function elements(verb: 'add' | 'delete', name: string, changed: ReadonlySet<string>): string {
  return changed.size === 0 ? '' : `${verb} element ${tableName} ${name} {\n${[...changed].join(',\n')}\n}\n`
}

function set(name: string, type: string, list: readonly string[]): string[] {
  const content = list.length === 0 ? [] : ['  elements = {', `    ${list.join(',\n      ')}`, '  }']
  return [`set ${name} {`, `  type ${type}`, ...content, '}']
}

function chain(name: string, lines: readonly string[]): string[] {
  return [`chain ${name} {`, ...lines.map((line) => `  ${line}`), '}']
}

/** Names are checked before they get here; checked again, because they go into a rule file. */
function quotedName(name: string): string {
  return `"${checkedInterfaceName(name)}"`
}
