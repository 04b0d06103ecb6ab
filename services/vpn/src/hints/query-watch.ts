import type { LogEntry } from '../dns/log-ring.ts'
import type { WatchedQueries } from '../dns/resolver-files.ts'
import { Reason, Status, Trait } from '../dns/policy/verdict.ts'
import { knownLookups } from './known-lookups.data.ts'
import { noteQuery, type TunnelState } from './tunnelling.ts'
import type { ListBlocks, NumberedTunnel, WatchReport } from './watch-report.ts'

const nxdomain = 3
/** Labels from this length on can carry data, characters. */
const minLabel = 12
/** DNS types by which tunnels bring data back, whatever the names look like: NULL, TXT, CNAME, MX, SRV. */
const carriers: ReadonlySet<number> = new Set([10, 16, 5, 15, 33])
const privateTypes = 65_280
/** Candidates that are judged of one write of the log; a tunnel shows in a part of them as well. */
const maxCandidates = 2000
/** Clients and domains that are followed; the one without a query for longest goes first. */
const maxStates = 4096
/** A client and domain is reported again after so long, milliseconds. */
const againMs = 600_000
/** Names that are kept of what a list blocks between two reports. */
const maxNames = 500
/** Names kept in a report. */
const reportedNames = 50

interface Candidate {
  readonly client: number
  readonly at: number
  readonly type: number
  readonly isMissing: boolean
  readonly name: string
}

/** Returns the registrable domain of a name; null for none. */
export type DomainOf = (name: string) => string | null

/**
 * Watches the queries that are written to the log, for the hints. It examines numbers of an entry and the lengths of its labels;
 * a text is made only of what may belong to a tunnel, and of some names that a list blocks. Entries count once their write is done.
 */
export class QueryWatch {
  readonly #nameText: (wire: Uint8Array, length: number) => string
  readonly #loadDomainOf: () => Promise<DomainOf>
  #domainOf: DomainOf | undefined
  #candidates: Candidate[] = []
  readonly #pending = new Map<number, PendingBlocks>()
  readonly #blocked = new Map<number, PendingBlocks>()
  readonly #states = new Map<string, TunnelState>()
  readonly #reported = new Map<string, number>()
  #watched: WatchedQueries = { tunnels: true, blocked: true }

  constructor(nameText: (wire: Uint8Array, length: number) => string, loadDomainOf = loadPublicSuffixes) {
    this.#nameText = nameText
    this.#loadDomainOf = loadDomainOf
  }

  /** Looks for these alone, and forgets what it has seen of others. */
  follow(watched: WatchedQueries): void {
    this.#watched = watched
    if (!watched.blocked) {
      this.#pending.clear()
      this.#blocked.clear()
    }
    if (watched.tunnels) return
    this.#candidates = []
    this.#states.clear()
    this.#reported.clear()
  }

  /** Takes one entry; its names only when the log keeps any. */
  note(entry: LogEntry, keepsNames: boolean): void {
    const { tunnels, blocked } = this.#watched
    if (entry.status === Status.blocked) {
      if (blocked && (entry.reason === Reason.list || entry.reason === Reason.address))
        this.#noteBlocked(entry, keepsNames)
    } else if (
      tunnels &&
      keepsNames &&
      entry.client !== 0 &&
      this.#candidates.length < maxCandidates &&
      isCandidate(entry)
    ) {
      const name = this.#nameText(entry.name, entry.nameLength)
      const { client, at, type, rcode } = entry
      this.#candidates.push({ client, at, type, isMissing: rcode === nxdomain, name })
    }
  }

  #noteBlocked({ source, client, name, nameLength }: LogEntry, keepsNames: boolean): void {
    const blocks = this.#pending.get(source) ?? { count: 0, names: new Map() }
    blocks.count += 1
    if (keepsNames && blocks.count <= maxNames) {
      const key = `${client} ${this.#nameText(name, nameLength)}`
      blocks.names.set(key, (blocks.names.get(key) ?? 0) + 1)
    }
    this.#pending.set(source, blocks)
  }

  /** The entries noted since the last call were written, or will come again. */
  settle(isWritten: boolean): void {
    if (!isWritten) this.#candidates = []
    else for (const [list, blocks] of this.#pending) addBlocks(this.#blocked, list, blocks)
    this.#pending.clear()
  }

  /** Judges what was written, and returns what is to be reported; undefined for nothing. */
  async report(at: number): Promise<WatchReport | undefined> {
    const tunnels = await this.#judge()
    const blocked = Array.from(this.#blocked, ([list, blocks]) => blocksView(list, blocks))
    this.#blocked.clear()
    return tunnels.length === 0 && blocked.length === 0 ? undefined : { at, tunnels, blocked }
  }

  async #judge(): Promise<NumberedTunnel[]> {
    const candidates = this.#candidates
    this.#candidates = []
    if (candidates.length === 0) return []
    // Loaded with the first candidate: the public suffixes take some 3 MiB.
    this.#domainOf ??= await this.#loadDomainOf()
    const found = new Map<string, NumberedTunnel>()
    for (const candidate of candidates) this.#follow(candidate, this.#domainOf, found)
    return [...found.values()]
  }

  #follow({ client, name, ...query }: Candidate, domainOf: DomainOf, found: Map<string, NumberedTunnel>): void {
    const split = splitName(name, domainOf)
    if (split === undefined) return
    const { sub, domain } = split
    const key = `${client} ${domain}`
    const { state, finding } = noteQuery(this.#states.get(key), { ...query, sub })
    this.#states.delete(key)
    this.#states.set(key, state)
    if (this.#states.size > maxStates) forgetFirst(this.#states)
    if (finding === undefined) return
    const last = this.#reported.get(key)
    if (last !== undefined && !found.has(key) && query.at - last < againMs) return
    this.#reported.delete(key)
    this.#reported.set(key, query.at)
    if (this.#reported.size > maxStates) forgetFirst(this.#reported)
    found.set(key, { client, domain, finding })
  }
}

interface PendingBlocks {
  count: number
  /** Counts by client and name, with a space between them. */
  readonly names: Map<string, number>
}

/** An entry that was sent to an upstream and whose name or type can carry data. */
function isCandidate({ traits, reason, type, name, nameLength }: LogEntry): boolean {
  if ((traits & (Trait.cached | Trait.failed)) !== 0 || reason === Reason.local) return false
  if (carriers.has(type) || type >= privateTypes) return true
  for (let at = 0; at < nameLength; at += (name[at] ?? 0) + 1) {
    const size = name[at] ?? 0
    if (size === 0) return false
    if (size >= minLabel) return true
  }
  return false
}

/** Labels of records with a fixed meaning: mail, certificates, services (RFC 8552). */
const attributeLabel =
  /^_(?:domainkey|dmarc|spf|report|bimi|mta-sts|smtp|tls|tlsrpt|acme-challenge|dnsauth|tcp|udp|ldap|kerberos|sip|sips|xmpp-client|xmpp-server|dns|dns-sd|sites|msdcs|vlmcs|\d{1,5})$/
/** A reversed address before the zone of a block list (RFC 5782). */
const reversedAddress = /^(?:\d{1,3}\.){3}\d{1,3}$|^(?:[0-9a-f]\.){31}[0-9a-f]$/

/** The part of a name before its registrable domain; undefined where a name carries data by design, or none. */
export function splitName(name: string, domainOf: DomainOf): { sub: string; domain: string } | undefined {
  if (name.endsWith('.arpa')) return undefined
  const domain = domainOf(name)
  if (domain === null || domain.length >= name.length || knownLookups.has(domain)) return undefined
  const sub = name.slice(0, -domain.length - 1)
  if (sub.split('.').some((label) => attributeLabel.test(label))) return undefined
  // The zone of the block list may be more than the domain.
  const address = /^(?:(?:\d{1,3}\.){4}|(?:[0-9a-f]\.){32})/.exec(`${sub}.`)?.[0].slice(0, -1)
  if (address !== undefined && reversedAddress.test(address)) return undefined
  return { sub, domain }
}

async function loadPublicSuffixes(): Promise<DomainOf> {
  const { getDomain } = await import('tldts')
  const options = { allowPrivateDomains: true, extractHostname: false, validateHostname: false } as const
  return (name) => getDomain(name, options)
}

function addBlocks(to: Map<number, PendingBlocks>, list: number, { count, names }: PendingBlocks): void {
  const known = to.get(list)
  if (known === undefined) {
    to.set(list, { count, names: new Map(names) })
    return
  }
  known.count += count
  for (const [key, more] of names) {
    const sum = known.names.get(key)
    if (sum !== undefined || known.names.size < maxNames) known.names.set(key, (sum ?? 0) + more)
  }
}

function blocksView(list: number, { count, names }: PendingBlocks): ListBlocks {
  const top = [...names].sort(([, a], [, b]) => b - a).slice(0, reportedNames)
  return {
    list,
    count,
    names: top.map(([key, times]) => {
      const space = key.indexOf(' ')
      return { name: key.slice(space + 1), client: Number(key.slice(0, space)), count: times }
    }),
  }
}

function forgetFirst(map: Map<string, unknown>): void {
  const [first] = map.keys()
  if (first !== undefined) map.delete(first)
}
