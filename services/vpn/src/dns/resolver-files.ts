/**
 * Files that the resolver process works from, in `DATA_DIR/dns`, each written whole by the service (0600, atomic) and read by
 * the resolver when it starts and when it is notified of a change. So a restarted resolver has its full configuration, even
 * before the rest of the service runs.
 */
export const resolverFile = {
  settings: 'settings.json',
  clients: 'clients.json',
  names: 'names.json',
  profiles: 'profiles.json',
  rules: 'rules.json',
  lists: 'lists.json',
  records: 'records.json',
  zones: 'zones.json',
  private: 'private-dns.json',
  /** All lists compiled; made by the resolver itself. */
  bundle: 'lists.bin',
  /** Query log; written by the resolver, read by the service. */
  queryLog: 'query-log.db',
  /** Folder of the queries of a node; written by its resolver, sent by its program. */
  queryJournal: 'queries',
  /** The cache over a restart; the resolver's own. */
  cache: 'cache.bin',
} as const

/** An address on which the resolver listens. */
export interface Listener {
  readonly address: string
  readonly port: number
  /** The tunnel's device: queries are taken from it alone, and from peers alone. Null for `DNS_LISTEN`. */
  readonly device: string | null
}

/** Answer to a blocked name. */
export type BlockMode = 'zero_ip' | 'nxdomain' | 'refused' | 'custom_ip'

/** Block modes in the order of their numbers, from 1, in a table of profiles. */
export const blockModes: readonly BlockMode[] = ['zero_ip', 'nxdomain', 'refused', 'custom_ip']

/** An upstream server. */
export interface Upstream {
  /** The operator's text; shown, and never logged with its path. */
  readonly label: string
  readonly protocol: 'udp' | 'tcp' | 'tls' | 'https'
  /** IP address; undefined for an https server that is given by name alone. */
  readonly address: string | undefined
  readonly port: number
  /** Name in the certificate, and host of the request; undefined for udp and tcp. */
  readonly name: string | undefined
  /** Path of an https server, `/dns-query` and the like. */
  readonly path: string | undefined
}

/** Kinds of hints that are looked for in the queries. Nothing is kept of a kind that is off. */
export interface WatchedQueries {
  readonly tunnels: boolean
  readonly blocked: boolean
}

/** `settings.json`. */
export interface ResolverSettings {
  readonly engine: 'auto' | 'ffi' | 'dgram'
  readonly listeners: readonly Listener[]
  /** The client number that queries on listeners without a device count as; 0: by their source, or as no one. */
  readonly listenClient: number
  readonly upstreams: readonly Upstream[]
  readonly blockingEnabled: boolean
  /** Milliseconds since the epoch; 0 for not paused. */
  readonly pausedUntil: number
  readonly blockMode: BlockMode
  readonly customIpv4: string | null
  readonly customIpv6: string | null
  /** Seconds. */
  readonly blockTtl: number
  /** Entries. */
  readonly cacheSize: number
  readonly cacheMinTtl: number
  readonly cacheMaxTtl: number
  readonly serveStale: boolean
  readonly prefetch: boolean
  /** The cache is kept in a file over a restart. */
  readonly keepCache: boolean
  readonly dnssec: boolean
  readonly blockPrivateAnswers: boolean
  /** Domains (and what is below them) whose answers may be private. */
  readonly privateAnswersAllowed: readonly string[]
  /** Domains that are sent to upstreams although they, or what they are within, belong to the local network. */
  readonly forwardedZones: readonly string[]
  /** Queries a second and peer on tunnels; 0 for no limit. */
  readonly clientRateLimit: number
  /** First address of a /96, into which IPv4 addresses are put for names without IPv6 addresses (DNS64); null for none. */
  readonly dns64Prefix: string | null
  /** Domain in which peers have names; null for none. */
  readonly peerNamesSuffix: string | null
  readonly queryLog: 'all' | 'blocked' | 'none'
  readonly anonymizeClients: boolean
  readonly logRetentionDays: number
  /** What the writer of the log looks for, for the hints. */
  readonly watched: WatchedQueries
}

/** An entry of `clients.json`: a peer that may query. */
export interface ResolverClient {
  /** Stands for the peer in memory and in the log; 1 to 2 ** 31 - 1, never given to another peer. */
  readonly number: number
  readonly id: string
  readonly name: string
  /** Its label in DNS; without one it is not found by a name. */
  readonly label?: string | null
  readonly addresses: readonly string[]
  readonly filtering: boolean
  /** Ids of the lists that hold for it; null for all. */
  readonly lists: readonly string[] | null
  readonly logging: boolean
  /** Number of its profile; missing for none. */
  readonly profile?: number
  /** IPv4 address of this host in its tunnel. */
  readonly gateway?: string
}

/** An entry of `names.json`: a peer that may not query here and is found by its name. There are some on nodes alone. */
export interface ResolverName {
  /** Its label in DNS. */
  readonly label: string
  readonly addresses: readonly string[]
}

/** An entry of `profiles.json`: what holds at the moment for the clients of a profile. */
export interface ResolverProfile {
  /** Number of the profile that clients are in, 1 to 255. */
  readonly number: number
  /** Number of the profile that holds for them now; 0 for none. */
  readonly holds: number
  /** Nothing is filtered for them. */
  readonly isPaused: boolean
  /** Ids of the lists that hold; null for all. */
  readonly lists: readonly string[] | null
  /** Place among `blockModes`, from 1; 0 for the mode of the settings. */
  readonly blockMode: number
  /** Bits of `Safety`. */
  readonly safety: number
}

/** An entry of `rules.json`. */
export interface ResolverRule {
  readonly number: number
  readonly action: 'block' | 'allow'
  /** Lower case, punycode, without a leading `*.` and a final dot. */
  readonly domain: string
  /** `*.domain`: only what is below. Otherwise the domain and what is below. */
  readonly belowOnly: boolean
  /** A client's number; 0 for everyone; below 0 for a profile, see `profileClient`. */
  readonly client: number
}

/** An entry of `records.json`: a local record. */
export interface ResolverRecord {
  /** Lower case, punycode, without a leading `*.` and a final dot. */
  readonly domain: string
  /** `*.domain`: all names below it that have no records themselves. */
  readonly belowOnly: boolean
  /** DNS type. */
  readonly type: number
  /** Seconds. */
  readonly ttl: number
  /** Data in wire form, as hexadecimal digits. */
  readonly data: string
  /** Only for clients with this gateway, for whom it stands in place of the name's other records; missing for everyone. */
  readonly gateway?: string
}

/** An entry of `zones.json`: a zone whose names are sent to servers of its own. */
export interface ResolverZone {
  /** The domains that make it, lower case, punycode, without a final dot: a network has a reverse zone or several. */
  readonly names: readonly string[]
  /** In the order of preference; one at least. */
  readonly servers: readonly Upstream[]
}

/** An address and a port. */
export interface SocketPlace {
  readonly address: string
  readonly port: number
}

/** `private-dns.json`: DNS over TLS and HTTPS for devices outside the tunnels. */
export interface ResolverPrivateDns {
  /** Host name; over TLS a device asks for its secret and this. Null when all of it is off. */
  readonly name: string | null
  readonly tls: readonly SocketPlace[]
  readonly https: readonly SocketPlace[]
  /** HTTP for a reverse proxy. */
  readonly http: readonly SocketPlace[]
  /** Paths of the files, PEM. */
  readonly certificate: string
  readonly key: string
  /** SHA-256 of the secrets, hex, and the numbers of the clients they belong to. */
  readonly clients: readonly { readonly hash: string; readonly number: number }[]
}

/** An entry of `lists.json`: a list that is enabled and whose text lies in `lists/<id>.txt`. */
export interface ResolverList {
  /** 0 to 31, the same as long as the list exists. */
  readonly number: number
  readonly id: string
  readonly name: string
  readonly format: 'auto' | 'hosts' | 'domains' | 'wildcard' | 'adblock' | 'dnsmasq'
  /** SHA-256 of the text, hex. */
  readonly sha256: string
}
