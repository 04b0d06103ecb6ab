import { randomUUIDv7 } from 'node:crypto'
import type { Database, Page } from '@hearth/database'
import { type Clock, createKeyedQueue } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { maxZoneServers } from '../../dns/loops/shared-state.ts'
import type { ResolverZone } from '../../dns/resolver-files.ts'
import { parseUpstream } from '../../dns/upstream/upstream-text.ts'
import { conflict, invalidField, notFound } from '../../problems.ts'
import type { ZoneServerState } from '../../resolver/messages.ts'
import { serverKey } from '../../resolver/zones-in-force.ts'
import type { Tables } from '../../tables.ts'
import type { DnsZoneRow } from '../tables.ts'
import { checkUpstream } from '../settings.ts'
import {
  type DnsZone,
  type DnsZoneCreate,
  type DnsZoneListQuery,
  type DnsZoneServer,
  type DnsZoneTest,
  type DnsZoneTestResult,
  type DnsZoneUpdate,
  maxZones,
} from './schema.ts'
import * as store from './store.ts'
import { readZone, type ZoneNames } from './zone-names.ts'

export interface ZoneDependencies {
  readonly database: Database<Tables>
  readonly clock: Clock
  /** Resolves when the stored zones hold for the next query (true), or the resolver does not answer (false). */
  readonly publish: () => Promise<boolean>
  /** Servers of zones as the resolver knows them; undefined while it does not run. */
  readonly states: () => readonly ZoneServerState[] | undefined
  /** Asks a server about a domain; milliseconds. Rejects with the reason. */
  readonly test: (server: string, domain: string) => Promise<number>
}

/** A change of the zones that is stored. `inForce`: it holds for the next query; otherwise once the resolver answers again. */
export interface ZoneChange {
  readonly zone: DnsZone
  readonly inForce: boolean
}

/** Number of changes that wait for others. */
const maxWaiting = 1000

/** Zones whose names the resolver sends to servers of their own. */
export class Zones {
  readonly #dependencies: ZoneDependencies
  readonly #db: Kysely<Tables>
  /** Whether a zone fits depends on all others, so changes come one after another. */
  readonly #queue = createKeyedQueue(maxWaiting)

  constructor(dependencies: ZoneDependencies) {
    this.#dependencies = dependencies
    this.#db = dependencies.database.query
  }

  async list(query: DnsZoneListQuery): Promise<Page<DnsZone>> {
    const { rows, total } = await store.listZoneRows(this.#db, query)
    return { rows: rows.map((row) => this.#view(row)), total }
  }

  async create(input: DnsZoneCreate, by: string): Promise<ZoneChange> {
    const { zone, names } = zoneOrRefuse(input.zone)
    const servers = serversOrRefuse(input.servers)
    const row = await this.#alone(async () => {
      const others = await store.allZoneRows(this.#db)
      if (others.length >= maxZones) throw conflict('zone', `There are ${maxZones} zones, no more fit`)
      refuseConflicts(others, { names, servers })
      const created = {
        id: randomUUIDv7(),
        zone,
        servers: JSON.stringify(servers),
        created_at: this.#dependencies.clock.now(),
        created_by: by,
      }
      await store.insertZoneRow(this.#db, created)
      return created
    })
    return this.#changed(row)
  }

  async update(id: string, changes: DnsZoneUpdate): Promise<ZoneChange> {
    const row = await this.#alone(async () => {
      const known = await this.#find(id)
      const { zone, names } = zoneOrRefuse(changes.zone ?? known.zone)
      const servers = changes.servers === undefined ? serversOf(known) : serversOrRefuse(changes.servers)
      const others = await store.allZoneRows(this.#db)
      refuseConflicts(
        others.filter((other) => other.id !== id),
        { names, servers },
      )
      const columns = { zone, servers: JSON.stringify(servers) }
      await store.updateZoneRow(this.#db, id, columns)
      return { ...known, ...columns }
    })
    return this.#changed(row)
  }

  async remove(id: string): Promise<{ id: string; zone: string; inForce: boolean }> {
    const { zone } = await this.#alone(async () => {
      const known = await this.#find(id)
      await store.deleteZoneRow(this.#db, id)
      return known
    })
    return { id, zone, inForce: await this.#dependencies.publish() }
  }

  /** Asks each server about the zone, all at a time. Nothing is stored. */
  async test(input: DnsZoneTest): Promise<DnsZoneTestResult> {
    const { names } = zoneOrRefuse(input.zone)
    const servers = serversOrRefuse(input.servers)
    const test = async (server: string) => {
      try {
        const milliseconds = await this.#dependencies.test(server, names[0] ?? '')
        return { server, ok: true, milliseconds, error: null }
      } catch (error) {
        return { server, ok: false, milliseconds: null, error: error instanceof Error ? error.message : 'no answer' }
      }
    }
    return { servers: await Promise.all(servers.map(test)) }
  }

  /** The zones as the resolver knows them. */
  async forResolver(): Promise<ResolverZone[]> {
    const rows = await store.allZoneRows(this.#db)
    return rows.map((row) => ({ names: namesOf(row), servers: serversOf(row).map(parseUpstream) }))
  }

  async #changed(row: DnsZoneRow): Promise<ZoneChange> {
    const inForce = await this.#dependencies.publish()
    return { zone: this.#view(row), inForce }
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    return this.#queue.run('zones', work)
  }

  async #find(id: string): Promise<DnsZoneRow> {
    const row = await store.findZoneRow(this.#db, id)
    if (row === undefined) throw notFound(`zone ${id}`)
    return row
  }

  #view(row: DnsZoneRow): DnsZone {
    const servers = serversOf(row)
    const states = new Map(this.#dependencies.states()?.map((state) => [state.key, state]))
    return {
      id: row.id,
      zone: row.zone,
      names: [...namesOf(row)],
      servers,
      state: servers.flatMap((server) => {
        const state = states.get(serverKey(parseUpstream(server)))
        return state === undefined ? [] : [serverView(server, state)]
      }),
      created_at: new Date(row.created_at).toISOString(),
      created_by: row.created_by,
    }
  }
}

const serverView = (server: string, state: ZoneServerState): DnsZoneServer => ({
  server,
  queries: state.queries,
  failures: state.failures,
  average_ms: state.averageMs,
  healthy: state.isHealthy,
  failing_since: state.failingSince === null ? null : new Date(state.failingSince).toISOString(),
  last_error: state.lastError,
})

const serversOf = ({ servers }: DnsZoneRow): string[] => JSON.parse(servers) as string[]

function namesOf({ zone }: DnsZoneRow): readonly string[] {
  const read = readZone(zone)
  return 'names' in read ? read.names : []
}

function zoneOrRefuse(text: string): ZoneNames {
  const read = readZone(text)
  if ('reason' in read) throw invalidField('zone', read.reason)
  return read
}

function serversOrRefuse(texts: readonly string[]): string[] {
  const keys = new Set<string>()
  return texts.map((text, index) => {
    const path = `servers.${index}`
    checkUpstream(text, path)
    const key = serverKey(parseUpstream(text))
    if (keys.has(key)) throw invalidField(path, 'names a server that stands before it')
    keys.add(key)
    return text.trim()
  })
}

interface Wanted {
  readonly names: readonly string[]
  readonly servers: readonly string[]
}

function refuseConflicts(others: readonly DnsZoneRow[], { names, servers }: Wanted): void {
  const wanted = new Set(names)
  const keys = new Set(servers.map((server) => serverKey(parseUpstream(server))))
  for (const other of others) {
    const twice = namesOf(other).find((name) => wanted.has(name))
    if (twice !== undefined)
      throw conflict('zone', `${twice} has servers already, in the zone ${other.zone}`, { id: other.id })
    for (const server of serversOf(other)) keys.add(serverKey(parseUpstream(server)))
  }
  if (keys.size > maxZoneServers)
    throw conflict('servers', `The zones have ${maxZoneServers} different servers at most; use some of them again`)
}
