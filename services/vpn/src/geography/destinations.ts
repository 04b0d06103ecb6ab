import { constants, createReadStream } from 'node:fs'
import { access, readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { Address6 } from 'ip-address'
import type { Database } from '@hearth/database'
import { isPublicAddress } from '@hearth/outbound'
import type { Clock, Log } from '@hearth/runtime'
import type { Tables } from '../tables.ts'
import type { Attribution, PlacedBytes } from './attribution.ts'
import { FlowCounter, parseFlow } from './conntrack.ts'
import { peerAddresses } from './store.ts'

/** Interval at which the table is read, and at which the setting is checked, milliseconds. */
const interval = 30_000
const watchInterval = 2000
/** Maximum bytes of the connection table that are read; it has about 200 a flow. */
const maxTableBytes = 32 * 1_048_576
/** Maximum pairs of peer and destination that are kept of one reading. */
const maxPairs = 50_000

/** The kernel's connection table, and the switch that makes it count bytes. */
export interface ConntrackFiles {
  readonly table: string
  readonly accounting: string
}

export const conntrackFiles: ConntrackFiles = {
  table: '/proc/net/nf_conntrack',
  accounting: '/proc/sys/net/netfilter/nf_conntrack_acct',
}

export interface DestinationDependencies {
  readonly database: Database<Tables>
  readonly attribution: Attribution
  readonly clock: Clock
  readonly log: Log
  /** The setting `destination_metrics_enabled`. */
  readonly isEnabled: () => boolean
  readonly files?: ConntrackFiles
}

/** The count of traffic by destination, where the operator and the kernel allow it. */
export type Destinations = ReturnType<typeof startDestinations>

/** Reads the connection table every 30 seconds until closed, for the first time as soon as it is switched on. */
export function startDestinations(dependencies: DestinationDependencies) {
  const files = dependencies.files ?? conntrackFiles
  let counter: FlowCounter | undefined
  let running: Promise<void> | undefined

  async function read(): Promise<void> {
    if ((await obstacleOf(dependencies, files)) !== null) {
      counter = undefined
      return
    }
    counter ??= new FlowCounter()
    const peers = await peersByAddress(dependencies.database)
    const placed = await readTable(files.table, counter, { peers, at: dependencies.clock.now() })
    await dependencies.database.query
      .transaction()
      .execute((trx) => dependencies.attribution.add(trx, 'destination', placed))
  }

  const once = () =>
    (running ??= read()
      .catch((error: unknown) => dependencies.log.warn({ err: error }, 'reading the connection table failed'))
      .finally(() => (running = undefined)))
  let readAt = Number.NEGATIVE_INFINITY
  const timer = setInterval(() => {
    const now = dependencies.clock.monotonic()
    if (dependencies.isEnabled() ? counter !== undefined && now - readAt < interval : counter === undefined) return
    readAt = now
    void once()
  }, watchInterval)
  timer.unref()
  return {
    /** Returns the reason why it is not counted; null when it is. */
    obstacle: () => obstacleOf(dependencies, files),
    /** Reads the connection table once. */
    read: once,
    async close() {
      clearInterval(timer)
      await running
    },
  }
}

async function obstacleOf({ isEnabled }: DestinationDependencies, files: ConntrackFiles): Promise<string | null> {
  if (!isEnabled()) return 'Destinations are not counted: destination_metrics_enabled is off in the settings'
  const accounting = await readFile(files.accounting, 'utf8').catch(() => undefined)
  if (accounting === undefined) return 'The kernel keeps no connection table here (nf_conntrack is not loaded)'
  if (accounting.trim() !== '1')
    return 'The kernel does not count bytes of connections: set sysctl net.netfilter.nf_conntrack_acct=1'
  const isReadable = await access(files.table, constants.R_OK).then(
    () => true,
    () => false,
  )
  return isReadable ? null : `The service may not read ${files.table}`
}

async function peersByAddress({ query }: Database<Tables>): Promise<ReadonlyMap<string, string>> {
  const rows = await peerAddresses(query)
  const peers = new Map<string, string>()
  for (const { id, ip, ipv6 } of rows) {
    peers.set(ip, id)
    // The kernel's table writes eight groups of four digits.
    if (ipv6 !== null) peers.set(new Address6(ipv6).canonicalForm(), id)
  }
  return peers
}

async function readTable(
  path: string,
  counter: FlowCounter,
  { peers, at }: { peers: ReadonlyMap<string, string>; at: number },
): Promise<PlacedBytes[]> {
  const pairs = new Map<string, { peerId: string; address: string; at: number; rx: number; tx: number }>()
  const isInner = (address: string) => peers.has(address)
  const lines = createInterface({ input: createReadStream(path, { end: maxTableBytes }), crlfDelay: Infinity })
  for await (const line of lines) {
    const flow = parseFlow(line)
    const delta = flow === undefined ? undefined : counter.take(flow, isInner)
    const peerId = delta === undefined ? undefined : peers.get(delta.inner)
    // Traffic between peers or into the local network has no location.
    if (delta === undefined || peerId === undefined || !isPublicAddress(delta.outer)) continue
    const key = `${peerId} ${delta.outer}`
    const sum = pairs.get(key)
    if (sum !== undefined) {
      sum.rx += delta.rx
      sum.tx += delta.tx
    } else if (pairs.size < maxPairs) pairs.set(key, { peerId, address: delta.outer, at, rx: delta.rx, tx: delta.tx })
  }
  counter.endReading()
  return [...pairs.values()]
}
