import { createHash } from 'node:crypto'
import { checkedInterfaceName } from './device.ts'
import { networkOf, parseNetworkAddress } from './network-address.ts'

/** Bandwidth of one peer, as the kernel keeps to it. */
export interface PeerLimit {
  readonly id: string
  readonly interface: string
  /** Tunnel addresses of the peer without prefixes, IPv4 first. Other peers have none of them. */
  readonly addresses: readonly [string, ...string[]]
  /** Networks behind the peer in CIDR form, which share its limits. */
  readonly networks: readonly string[]
  /** Bytes a second to the peer and from it; null without a limit. */
  readonly down: number | null
  readonly up: number | null
  /** Nothing goes to the peer or comes from it. */
  readonly isStopped: boolean
}

/** The table of bandwidth limits; nothing outside it is ever touched. */
const tableName = 'inet hearth_vpn_limits'

/**
 * Bytes a peer may send at once, beside the second's worth that the kernel's `limit` saves up: the largest packet that
 * segmentation offload hands over, which a smaller bucket would never let through.
 */
const burst = 65_536

type Elements = ReadonlyMap<string, string>
/** Elements of the maps with the limits that they name, those limits, and the addresses of stopped peers. */
type Contents = Record<(typeof maps)[number] | (typeof sets)[number] | 'limits', Elements>

const addressMaps = ['down4', 'down6', 'up4', 'up6'] as const
const addressSets = ['stopped4', 'stopped6'] as const
/** Networks are found by intervals, which take longer than single addresses: only a table with networks has these. */
const networkMaps = ['down_net4', 'down_net6', 'up_net4', 'up_net6'] as const
const networkSets = ['stopped_net4', 'stopped_net6'] as const
const maps = [...addressMaps, ...networkMaps] as const
const sets = [...addressSets, ...networkSets] as const

/**
 * One file for `nft -f` that replaces the whole table in one step. Each packet is looked up once by interface and address,
 * however many peers have limits.
 */
export function encodeLimitTable(limits: Iterable<PeerLimit>): string {
  const contents = contentsOf(limits)
  const withNetworks = [...networkMaps, ...networkSets].some((name) => contents[name].size > 0)
  const [mapsHere, setsHere] = withNetworks ? [maps, sets] : [addressMaps, addressSets]
  const rules = (direction: 'up' | 'down') => {
    const keyOfPacket = (name: string) =>
      direction === 'up' ? `iifname . ${selectorOf(name)} saddr` : `oifname . ${selectorOf(name)} daddr`
    const ofDirection = mapsHere.filter((name) => name.startsWith(direction))
    return [
      ...setsHere.map((name) => `  ${keyOfPacket(name)} @${name} drop`),
      ...ofDirection.map((name) => `  limit name ${keyOfPacket(name)} map @${name} drop`),
    ]
  }
  const lines = [
    ...[...contents.limits].map(([name, rate]) => `limit ${name} { ${rate}; }`),
    ...mapsHere.flatMap((name) =>
      block(`map ${name}`, `ifname . ${typeOf(name)} : limit`, elementText(contents[name])),
    ),
    ...setsHere.flatMap((name) => block(`set ${name}`, `ifname . ${typeOf(name)}`, keyText(contents[name]))),
    // Before the connection is tracked: what is dropped costs no more work.
    'chain up {',
    '  type filter hook prerouting priority raw; policy accept;',
    ...rules('up'),
    '}',
    'chain down {',
    '  type filter hook postrouting priority filter; policy accept;',
    ...rules('down'),
    '}',
  ]
  return `${encodeLimitRemoval()}table ${tableName} {\n${lines.map((line) => `  ${line}\n`).join('')}}\n`
}

function block(head: string, type: string, content: string): string[] {
  const flags = head.includes('_net') ? ['  flags interval'] : []
  return [`${head} {`, `  type ${type}`, ...flags, ...(content === '' ? [] : [`  elements = { ${content} }`]), '}']
}

/** A file that removes the table, whether it is there or not. */
export function encodeLimitRemoval(): string {
  return `add table ${tableName}\ndelete table ${tableName}\n`
}

/** Returns true if the table of these limits has room for networks; another one cannot take any. */
export function hasNetworks(limits: Iterable<PeerLimit>): boolean {
  return [...limits].some(({ networks, down, up, isStopped }) => {
    const isLimited = isStopped || down !== null || up !== null
    return isLimited && networks.length > 0
  })
}

/** A file that exchanges the limits of some peers in one transaction and names nothing of others; empty when nothing differs. */
export function encodeLimitChange(before: Iterable<PeerLimit>, after: Iterable<PeerLimit>): string {
  const [old, next] = [contentsOf(before), contentsOf(after)]
  const differing = (from: Elements, to: Elements): Elements =>
    new Map([...from].filter(([key, value]) => to.get(key) !== value))
  const replaced = differing(old.limits, next.limits)
  // An element holds on to its limit, so it goes and comes with it.
  const touched = (elements: Elements, other: Elements): Elements =>
    new Map([...elements].filter(([key, limit]) => other.get(key) !== limit || replaced.has(limit)))
  return [
    ...sets.map((name) => elements('delete', name, differing(old[name], next[name]))),
    ...maps.map((name) => elements('delete', name, touched(old[name], next[name]))),
    ...[...replaced.keys()].map((name) => `delete limit ${tableName} ${name}\n`),
    ...[...differing(next.limits, old.limits)].map(([name, rate]) => `add limit ${tableName} ${name} { ${rate} }\n`),
    ...maps.map((name) => elements('add', name, touched(next[name], old[name]))),
    ...sets.map((name) => elements('add', name, differing(next[name], old[name]))),
  ].join('')
}

/** Reads what `nft -s list table` says of the table of limits. */
export function readLimitListing(text: string) {
  const listed: Record<string, Map<string, string>> = { limits: new Map() }
  const withoutLimits = text.replaceAll(/\s*limit (\S+) \{\s*([^}]*?)\s*\}/g, (_, name: string, rate: string) => {
    listed['limits']?.set(name, inBytes(rate))
    return ''
  })
  for (const [, name = '', content = ''] of withoutLimits.matchAll(/map (\w+) \{[^{}]*?elements = \{([^{}]*)\}/g))
    listed[name] = new Map(
      [...content.matchAll(/"([^"]+)" \. (\S+) : "([^"]+)"/g)].map(([, on = '', address = '', limit = '']) => [
        keyOf(on, address),
        limit,
      ]),
    )
  for (const [, name = '', content = ''] of withoutLimits.matchAll(/set (\w+) \{[^{}]*?elements = \{([^{}]*)\}/g))
    listed[name] = new Map(
      [...content.matchAll(/"([^"]+)" \. ([^\s,]+)/g)].map(([, on = '', address = '']) => [keyOf(on, address), '']),
    )
  const frame = withoutLimits.replaceAll(/\s*elements = \{[^{}]*\}/g, '')
  return {
    /** Stands for everything but limits and elements. */
    frame: createHash('sha256').update(frame).digest('hex'),
    /** Returns true if the table holds exactly these limits. */
    holds(limits: Iterable<PeerLimit>): boolean {
      const wanted = contentsOf(limits)
      return [...maps, ...sets, 'limits' as const].every((name) => isSame(wanted[name], listed[name] ?? new Map()))
    },
  }
}

function isSame(one: Elements, other: Elements): boolean {
  return one.size === other.size && [...one].every(([key, value]) => other.get(key) === value)
}

function contentsOf(limits: Iterable<PeerLimit>): Contents {
  const empty = [...maps, ...sets, 'limits' as const].map((name) => [name, new Map<string, string>()] as const)
  const contents = Object.fromEntries(empty) as Record<keyof Contents, Map<string, string>>
  for (const { interface: on, addresses, networks, down, up, isStopped } of limits) {
    if (isStopped) {
      for (const address of addresses)
        contents[`stopped${parseNetworkAddress(address).family}`].set(keyOf(on, address), '')
      for (const network of networks)
        contents[`stopped_net${parseNetworkAddress(network).family}`].set(keyOf(on, network), '')
    }
    for (const [direction, rate] of [['down', down] as const, ['up', up] as const]) {
      if (rate === null) continue
      // Addresses are unique among peers, and readable to whoever lists the table.
      const name = `${direction}_${parseNetworkAddress(addresses[0]).address}`
      contents.limits.set(name, rateText(Math.round(rate), burst))
      for (const address of addresses)
        contents[`${direction}${parseNetworkAddress(address).family}`].set(keyOf(on, address), name)
      for (const network of networks)
        contents[`${direction}_net${parseNetworkAddress(network).family}`].set(keyOf(on, network), name)
    }
  }
  return contents
}

const rateText = (rate: number, bytes: number): string => `rate over ${rate} bytes/second burst ${bytes} bytes`

/** Names are checked before they get here; checked again, because they go into a rule file. */
function keyOf(on: string, address: string): string {
  const { family, address: plain, prefix } = parseNetworkAddress(address)
  const isWhole = prefix === (family === 4 ? 32 : 128)
  return `"${checkedInterfaceName(on)}" . ${isWhole ? plain : networkOf(address)}`
}

const factors: Record<string, number> = { bytes: 1, kbytes: 1024, mbytes: 1024 ** 2 }

/** A limit in bytes: nft lists those that can be in larger units. */
function inBytes(listed: string): string {
  const found = /^rate over (\d+) (\w+)\/second burst (\d+) (\w+)$/.exec(listed)
  if (found === null) return listed
  const [, rate, rateUnit = '', bytes, unit = ''] = found
  return rateText(Number(rate) * (factors[rateUnit] ?? 0), Number(bytes) * (factors[unit] ?? 0))
}

function elements(verb: 'add' | 'delete', name: string, changed: Elements): string {
  if (changed.size === 0) return ''
  const content = verb === 'add' && isMap(name) ? elementText(changed) : keyText(changed)
  return `${verb} element ${tableName} ${name} {\n${content}\n}\n`
}

const isMap = (name: string): boolean => (maps as readonly string[]).includes(name)
const typeOf = (name: string): string => (name.endsWith('4') ? 'ipv4_addr' : 'ipv6_addr')
const selectorOf = (name: string): string => (name.endsWith('4') ? 'ip' : 'ip6')
const keyText = (list: Elements): string => [...list.keys()].join(',\n')
const elementText = (list: Elements): string => [...list].map(([key, limit]) => `${key} : "${limit}"`).join(',\n')
