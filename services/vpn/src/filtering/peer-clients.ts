import type { Clock } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import { isExpired } from '../peers/followed-peer.ts'
import type { ClientsChange } from '../resolver/messages.ts'
import type { ResolverClient } from '../dns/resolver-files.ts'
import { PeerNames } from './peer-names/peer-names.ts'
import type { ProfilePeerRow } from './profiles/store.ts'
import { clientRows } from './store.ts'

/** A peer as the log and the rules name it, also while it may not query. */
export interface NamedPeer {
  readonly id: string
  readonly name: string
  readonly ip: string
}

interface KnownPeer extends NamedPeer {
  readonly number: number
  /** Null while it may not query. */
  readonly client: ResolverClient | null
}

/** What changed for others than the peers themselves: for the hosts that answer them, and for those who look for them by name. */
export interface ClientsScope {
  /** IPv4 addresses of the interfaces of changed clients, in their tunnels. */
  readonly gateways: ReadonlySet<string>
  /** Clients are found by other names, or at other addresses. */
  readonly areNamesOthers: boolean
}

/** Changes that a reading of peers found. */
export interface PeersChange {
  readonly scope: ClientsScope
  /** For the resolver. */
  readonly clients: ClientsChange
  /** Numbers of the peers that exist no more. */
  readonly gone: readonly number[]
  /** Numbers of the peers that have another name. */
  readonly renamed: readonly number[]
}

/** What the filter of a peer depends on beside its row. */
export interface PeerFacts {
  /** The number of a peer's profile; 0 for none. */
  readonly profileOf: (peer: ProfilePeerRow) => number
  /** True while nothing is blocked for the peer with this id. */
  readonly isPaused: (id: string) => boolean
}

/** All peers as clients of the resolver, in the state that it was notified of last. */
export class PeerClients {
  readonly #db: Kysely<Tables>
  readonly #clock: Clock
  readonly #names: PeerNames
  readonly #profileOf: PeerFacts['profileOf']
  readonly #isPaused: PeerFacts['isPaused']
  readonly #byId = new Map<string, KnownPeer>()
  readonly #byNumber = new Map<number, KnownPeer>()

  constructor(db: Kysely<Tables>, clock: Clock, { profileOf, isPaused }: PeerFacts) {
    this.#db = db
    this.#clock = clock
    this.#profileOf = profileOf
    this.#isPaused = isPaused
    this.#names = new PeerNames(db)
  }

  /** The peer with this number. */
  peer(number: number): NamedPeer | undefined {
    return this.#byNumber.get(number)
  }

  /** The label of a peer in DNS; null for none. */
  labelOf(id: string): string | null {
    return this.#names.labelOf(id)
  }

  /** Clients that may query, in the order in which they were made. */
  *clients(): Generator<ResolverClient> {
    for (const { client } of this.#byId.values()) if (client !== null) yield client
  }

  /** Reads peers again, these or all; says what changed. */
  async read(ids?: readonly string[]): Promise<PeersChange> {
    const rows = ids?.length === 0 ? [] : await clientRows(this.#db, ids)
    const now = this.#clock.now()
    const there = new Set(rows.map(({ id }) => id))
    await this.#names.follow(
      rows,
      [...(ids ?? this.#byId.keys())].filter((id) => !there.has(id)),
    )
    const found = new Map(rows.map((row) => [row.id, this.#known(row, now)]))
    const change = {
      set: [] as ResolverClient[],
      removed: [] as number[],
      gone: [] as number[],
      renamed: [] as number[],
      scope: { gateways: new Set<string>(), areNamesOthers: false },
    }
    for (const id of ids ?? new Set([...this.#byId.keys(), ...found.keys()])) {
      const before = this.#byId.get(id)
      const after = found.get(id)
      note(change, before, after)
      if (before !== undefined) this.#byNumber.delete(before.number)
      if (after === undefined) this.#byId.delete(id)
      else {
        this.#byId.set(id, after)
        this.#byNumber.set(after.number, after)
      }
    }
    const { set, removed, gone, renamed, scope } = change
    return { clients: { set, removed }, gone, renamed, scope }
  }

  #known(row: ClientRow, now: number): KnownPeer {
    const isPaused = this.#isPaused(row.id)
    return knownPeer(row, { label: this.#names.labelOf(row.id), profile: this.#profileOf(row), isPaused, now })
  }
}

interface FoundChange {
  readonly set: ResolverClient[]
  readonly removed: number[]
  readonly gone: number[]
  readonly renamed: number[]
  readonly scope: { readonly gateways: Set<string>; areNamesOthers: boolean }
}

function note(change: FoundChange, before: KnownPeer | undefined, after: KnownPeer | undefined): void {
  if (before !== undefined && after === undefined) change.gone.push(before.number)
  if (before !== undefined && after !== undefined && before.name !== after.name) change.renamed.push(after.number)
  const [was, is] = [before?.client ?? null, after?.client ?? null]
  if (JSON.stringify(was) === JSON.stringify(is)) return
  if (is !== null) change.set.push(is)
  else if (was !== null) change.removed.push(was.number)
  noteScope(change, was, is)
}

function noteScope({ scope }: FoundChange, before: ResolverClient | null, after: ResolverClient | null): void {
  for (const client of [before, after]) if (client?.gateway !== undefined) scope.gateways.add(client.gateway)
  const nameOf = (client: ResolverClient | null) => JSON.stringify(client && [client.label, client.addresses])
  if (nameOf(before) !== nameOf(after)) scope.areNamesOthers = true
}

type ClientRow = Awaited<ReturnType<typeof clientRows>>[number]

interface KnownOf {
  readonly label: string | null
  readonly profile: number
  readonly isPaused: boolean
  readonly now: number
}

function knownPeer(row: ClientRow, { label, profile, isPaused, now }: KnownOf): KnownPeer {
  const { id, name, ip, dns_number: number } = row
  const isActive = row.enabled === 1 && row.interface_enabled === 1 && !isExpired(row.expires_at, now)
  const client = {
    number,
    id,
    name,
    label,
    addresses: row.ipv6 === null ? [ip] : [ip, row.ipv6],
    filtering: row.dns_filtering === 1 && !isPaused,
    lists: row.dns_lists === null ? null : (JSON.parse(row.dns_lists) as string[]),
    logging: row.dns_logging === 1,
    ...(profile === 0 ? {} : { profile }),
    gateway: row.interface_address.split('/')[0] ?? '',
  }
  return { id, name, ip, number, client: isActive ? client : null }
}
