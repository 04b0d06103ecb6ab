import { Readable } from 'node:stream'
import { setImmediate as pause } from 'node:timers/promises'
import type { Database, Page } from '@hearth/database'
import { toIsoString, type Clock } from '@hearth/runtime'
import { notFound } from '../problems.ts'
import type { PeerConnectionRow, Tables } from '../tables.ts'
import { type AddressTraffic, addressesOf } from './connection.ts'
import type { ConnectionRecorder } from './recorder.ts'
import type {
  ConnectionExportQuery,
  ConnectionQuery,
  ConnectionTimeline,
  PeerConnection,
  TimelineQuery,
} from './schema.ts'
import * as store from './store.ts'

const day = 86_400_000
/** A pause of less is not seen in a picture of days, milliseconds. */
const visiblePause = 300_000
/** Connections read or deleted by one statement. */
const rowsAtOnce = 2000

export interface ConnectionHistoryDependencies {
  readonly database: Database<Tables>
  readonly clock: Clock
  readonly recorder: Pick<ConnectionRecorder, 'current'>
  readonly settings: () => { readonly connection_history_days: number; readonly connection_history_rows: number }
  /** The country of an address; `ZZ` when it is not known. */
  readonly countryOf: (address: string) => { readonly code: string; readonly name: string }
}

/** When peers were connected, from where, and what they moved meanwhile. */
export class ConnectionHistory {
  readonly #dependencies: ConnectionHistoryDependencies

  constructor(dependencies: ConnectionHistoryDependencies) {
    this.#dependencies = dependencies
  }

  /** Reads one page of a peer's connections, newest first. */
  async list(peerId: string, { from, to, ...page }: ConnectionQuery): Promise<Page<PeerConnection>> {
    await this.#checkPeer(peerId)
    const { rows, total } = await store.listConnectionRows(this.#db, { peerId, from, to }, page)
    return { rows: rows.map((row) => this.#view(row)), total }
  }

  /** Writes all connections of a peer as comma-separated values, newest first. */
  async export(peerId: string, period: ConnectionExportQuery): Promise<Readable> {
    await this.#checkPeer(peerId)
    return Readable.from(this.#lines({ peerId, ...period }))
  }

  async *#lines(range: store.ConnectionRange): AsyncGenerator<string> {
    yield 'began_at,ended_at,duration_seconds,rx_bytes,tx_bytes,addresses,countries,address_changes\n'
    let before: number | undefined
    do {
      const rows = await store.listConnectionRowsBefore(this.#db, range, { before, limit: rowsAtOnce })
      yield rows.map((row) => csvLine(this.#view(row))).join('')
      before = rows.at(-1)?.began
    } while (before !== undefined)
  }

  /** Reads when a peer was connected in the last days. */
  async timeline(peerId: string, { days }: TimelineQuery): Promise<ConnectionTimeline> {
    await this.#checkPeer(peerId)
    const to = this.#dependencies.clock.now()
    const from = to - days * day
    const rows = await store.listSpans(this.#db, { peerId, from })
    const spans: { began: number; ended: number }[] = []
    for (const { began, ended } of rows) {
      const last = spans.at(-1)
      const end = ended ?? to
      if (last === undefined || began - last.ended >= visiblePause) spans.push({ began, ended: end })
      else last.ended = Math.max(last.ended, end)
    }
    return {
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      connections: rows.length,
      spans: spans.map(({ began, ended }) => ({
        began_at: new Date(began).toISOString(),
        ended_at: new Date(ended).toISOString(),
      })),
    }
  }

  /** Deletes connections that are older than the settings say, or more than they allow. */
  async deleteOld(): Promise<void> {
    const { clock, settings } = this.#dependencies
    const { connection_history_days: days, connection_history_rows: rows } = settings()
    const tooMany = (await store.beganAfter(this.#db, rows)) ?? Number.NEGATIVE_INFINITY
    const until = Math.max(clock.now() - days * day, tooMany)
    while ((await store.deleteSomeConnections(this.#db, until, rowsAtOnce)) === rowsAtOnce) await pause()
  }

  #view(row: PeerConnectionRow): PeerConnection {
    const open = row.ended === null ? this.#dependencies.recorder.current(row.peer_id) : undefined
    const live = open?.began === row.began ? open : undefined
    const end = row.ended ?? this.#dependencies.clock.now()
    return {
      began_at: new Date(row.began).toISOString(),
      ended_at: toIsoString(row.ended),
      duration_seconds: Math.max(0, Math.round((end - row.began) / 1000)),
      rx_bytes: live?.rx ?? row.rx_bytes,
      tx_bytes: live?.tx ?? row.tx_bytes,
      addresses: (live?.addresses ?? addressesOf(row)).map((each) => this.#viewAddress(each)),
      address_changes: live?.addressChanges ?? row.address_changes,
    }
  }

  #viewAddress({ address, rx, tx }: AddressTraffic): PeerConnection['addresses'][number] {
    const { code, name } = this.#dependencies.countryOf(address)
    const country = code === 'ZZ' ? { country_code: null, country: null } : { country_code: code, country: name }
    return { address: address === '' ? null : address, ...country, rx_bytes: rx, tx_bytes: tx }
  }

  async #checkPeer(id: string): Promise<void> {
    if (!(await store.isPeerThere(this.#db, id))) throw notFound(`peer ${id}`)
  }

  get #db() {
    return this.#dependencies.database.query
  }
}

/** A connection as a line of comma-separated values; no cell of it can begin like a formula or contain a comma. */
function csvLine(connection: PeerConnection): string {
  const { began_at, ended_at, duration_seconds, rx_bytes, tx_bytes, addresses, address_changes } = connection
  const hosts = addresses.map(({ address }) => address ?? 'others').join(' ')
  const countries = addresses.map(({ country_code: code }) => code ?? '?').join(' ')
  const cells = [began_at, ended_at ?? '', duration_seconds, rx_bytes, tx_bytes, hosts, countries, address_changes]
  return `${cells.join(',')}\n`
}
