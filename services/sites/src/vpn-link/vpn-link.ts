import { randomBytes } from 'node:crypto'
import { networkInterfaces } from 'node:os'
import type { Sealer } from '@hearth/credentials'
import { createGuardedFetch, type GuardedFetch, type OutboundAllow } from '@hearth/outbound'
import { createKeyedQueue, type Log, type Timers } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { Publish } from '../events/schema.ts'
import { conflict, invalidField } from '../problems.ts'
import type { ReachNetworks } from '../sites/reach-schema.ts'
import type { SiteTables } from '../sites/tables.ts'
import { linkView, networksOfRow, type CaddyAddresses } from './link-view.ts'
import { LinkWatch } from './link-watch.ts'
import { vpnPolicy } from './outbound.ts'
import { recordsOf } from './plan-records.ts'
import { RecordSync, type VpnProblem } from './record-sync.ts'
import type { VpnLinkChange, VpnLinkView, VpnUnlinked } from './schema.ts'
import * as store from './store.ts'
import type { VpnLinkRow, VpnLinkTables } from './tables.ts'
import { VpnClient, VpnFailed, type TunnelReading } from './vpn-client.ts'

export interface VpnLinkDependencies {
  readonly db: Kysely<VpnLinkTables & SiteTables>
  readonly sealer: Sealer
  readonly timers: Timers
  readonly log: Log
  readonly allow: OutboundAllow
  /** Addresses of the VPN that the settings name. */
  readonly configured: readonly string[]
  readonly publish: Publish
  /** Reads where Caddy serves sites. */
  readonly caddy: () => Promise<CaddyAddresses | undefined>
  /** Called when other networks count as inside. */
  readonly onNetworks: () => void
  /** Called when the link has failed for a while, works again, or was ended. */
  readonly onHealth: (health: LinkHealth) => void
}

/** What there is to tell about the link. */
export type LinkHealth =
  | { readonly kind: 'failing'; readonly problem: VpnProblem }
  | { readonly kind: 'good' | 'ended' }

/** State of the link, for monitoring. */
export interface LinkFigures {
  readonly isUp: boolean
  readonly checkedAt: number | undefined
  readonly records: number
  readonly waiting: number
}

type Link = Omit<VpnLinkRow, 'id'>

const nothing = {
  records: 'all',
  inside_addresses: '[]',
  home_networks: '[]',
  tunnels: '[]',
  tunnels_at: null,
} as const
const sealedAt = 'vpn_link.token_sealed:1'

/** Reads what is stored of the link, and opens it; nobody is asked before `start`. */
export async function openVpnLink(dependencies: VpnLinkDependencies): Promise<VpnLink> {
  const row = await store.findLinkRow(dependencies.db)
  return new VpnLink(dependencies, row)
}

/** The link with a Hearth VPN: which networks are inside, and the records by which names of sites lead to Caddy there. */
export class VpnLink {
  readonly #dependencies: VpnLinkDependencies
  readonly #sync: RecordSync
  readonly #watch: LinkWatch
  readonly #queue = createKeyedQueue(20)
  #requests = new AbortController()
  #row: Link | undefined
  /** What was published last of the state of the records. */
  #state = ''
  #isClosed = false
  /** Addresses of the VPN's host in its tunnels, as it said last. */
  #hostAddresses: readonly string[] = []

  constructor(dependencies: VpnLinkDependencies, row: VpnLinkRow | undefined) {
    this.#dependencies = dependencies
    this.#row = row
    const { timers, onHealth } = dependencies
    this.#watch = new LinkWatch({
      timers,
      onBegan: (problem) => onHealth({ kind: 'failing', problem }),
      onEnded: () => onHealth({ kind: 'good' }),
      onUnlinked: () => onHealth({ kind: 'ended' }),
    })
    this.#sync = new RecordSync({
      ...dependencies,
      wanted: () => this.#wanted(),
      refreshTunnels: async (client) => this.#noteTunnels(await client.tunnels()),
      interrupt: () => this.#interrupt(new VpnFailed('away', 'The link was changed meanwhile.')),
      onState: () => this.#noteState(),
    })
  }

  /** Networks that count as inside. The last known ones hold while the VPN is away. */
  networks(): ReachNetworks {
    return networksOfRow(this.#row)
  }

  start(): void {
    this.#sync.start()
  }

  /** Sites have changed, and their names with them. */
  poke(): void {
    if (this.#row?.address != null) this.#sync.poke()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#watch.close()
    this.#interrupt(new VpnFailed('away', 'The service ends.'))
    await this.#sync.close()
  }

  /** Returns the state of the link; undefined without one, and before the first answer or failure. */
  figures(): LinkFigures | undefined {
    const { problem, checkedAt, records, waiting } = this.#sync.state()
    if (this.#row?.address == null || (problem === undefined && checkedAt === undefined)) return undefined
    return { isUp: problem === undefined, checkedAt, records, waiting }
  }

  async view(): Promise<VpnLinkView> {
    const caddy = await this.#dependencies.caddy()
    const machine = { interfaces: networkInterfaces(), hostAddresses: this.#hostAddresses, caddy }
    return linkView(this.#row, this.#sync.state(), machine)
  }

  /** Compares with the VPN now. What is wrong stands in the view. */
  async check(): Promise<VpnLinkView> {
    if (this.#row?.address != null) await this.#sync.compareNow()
    return await this.view()
  }

  /** Changes the link. Another address or token is stored only when the VPN accepts it; throws a problem that says why not. */
  change(change: VpnLinkChange): Promise<VpnLinkView> {
    return this.#queue.run('link', async () => {
      await this.#sync.pausedFor(() => this.#change(change))
      return await this.view()
    })
  }

  /** Ends the link, and removes the records. Throws a conflict while sites are reached from the tunnel only. */
  unlink(): Promise<VpnUnlinked> {
    return this.#queue.run('link', () => this.#sync.pausedFor(() => this.#unlink()))
  }

  async #change({ address, token, ...members }: VpnLinkChange): Promise<void> {
    const before = this.#row ?? { ...nothing, manager: newManager(), address: null, token_sealed: null }
    const lists = Object.entries(members).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? JSON.stringify([...new Set(value)]) : value] as const],
    )
    const row = { ...before, ...(Object.fromEntries(lists) as Partial<Link>) }
    const isNew = (address ?? before.address) !== before.address || token !== undefined
    const linked = isNew ? await this.#linked(row, { address: address ?? row.address, token }) : row
    await store.putLinkRow(this.#dependencies.db, linked)
    this.#replace(linked)
  }

  /** Asks the VPN, and returns the row with what it said. */
  async #linked(row: Link, { address, token }: { address: string | null; token: string | undefined }): Promise<Link> {
    if (address === null) throw invalidField('address', 'is required: the address of the Hearth VPN')
    // Otherwise the stored token could be sent to somebody who never had it.
    if (token === undefined) throw invalidField('token', 'is required with another address')
    const reading = await this.#client({ address, token, manager: row.manager })
      .check()
      .catch((error: unknown) => {
        if (!(error instanceof VpnFailed)) throw error
        throw invalidField(error.kind === 'token' ? 'token' : 'address', `cannot be used. ${error.message}`)
      })
    this.#hostAddresses = reading.hostAddresses
    const { sealer, timers } = this.#dependencies
    const tunnels = JSON.stringify(reading.tunnels)
    return { ...row, address, token_sealed: sealer.seal(token, sealedAt), tunnels, tunnels_at: timers.now() }
  }

  async #unlink(): Promise<VpnUnlinked> {
    const { db } = this.#dependencies
    const row = this.#row
    if (row === undefined || row.address === null) throw conflict('No VPN is linked', 'not_linked')
    const names = await store.tunnelSiteNames(db)
    if (names.length > 0) {
      const more = names.length > 10 ? ` and ${names.length - 10} more` : ''
      throw conflict(
        `Sites are reached from the tunnel only: ${names.slice(0, 10).join(', ')}${more}. Change or delete them first.`,
        'tunnel_sites',
      )
    }
    const known = this.#sync.state().records
    const removed = await this.#open(row)
      .clear()
      .catch((error: unknown) => {
        if (!(error instanceof VpnFailed)) throw error
        return error
      })
    const after = { ...row, address: null, token_sealed: null, tunnels: '[]', tunnels_at: null }
    await store.putLinkRow(db, after)
    this.#hostAddresses = []
    this.#replace(after)
    if (typeof removed === 'number') return { removed, detail: 'The link has ended, and its records are removed.' }
    const count = known === 0 ? 'The records of this service' : `${known} records`
    const detail = `The link has ended. ${count} stay in the VPN as ${row.manager}, because it could not be asked: ${removed.message}`
    return { removed: 0, detail }
  }

  /** Notes the interfaces that the VPN has now. */
  async #noteTunnels({ tunnels, hostAddresses }: TunnelReading): Promise<void> {
    this.#hostAddresses = hostAddresses
    const row = this.#row
    if (row === undefined) return
    const text = JSON.stringify(tunnels)
    const at = this.#dependencies.timers.now()
    await store.noteTunnels(this.#dependencies.db, row, { tunnels: text, at })
    this.#replace({ ...row, tunnels: text, tunnels_at: at })
  }

  #replace(row: Link): void {
    const before = JSON.stringify(this.networks())
    this.#row = row
    if (JSON.stringify(this.networks()) !== before) this.#dependencies.onNetworks()
    this.#state = ''
    this.#changed('updated')
  }

  #noteState(): void {
    const { problem, records, waiting, conflicts } = this.#sync.state()
    if (!this.#isClosed) this.#watch.observe(this.#row?.address == null ? 'unlinked' : (problem ?? 'good'))
    const state = JSON.stringify([problem, records, waiting, conflicts.size])
    if (state === this.#state) return
    this.#state = state
    this.#changed('state')
  }

  #changed(action: 'updated' | 'state'): void {
    this.#dependencies.publish({ type: 'settings', action: `vpn_link_${action}`, id: null })
  }

  async #wanted() {
    const row = this.#row
    if (row === undefined || row.address === null) return undefined
    const names = await store.namesForRecords(this.#dependencies.db, row.records)
    const addresses = JSON.parse(row.inside_addresses) as string[]
    return {
      client: this.#open(row),
      place: `${row.manager} ${row.address}`,
      records: recordsOf(names, addresses),
    }
  }

  #open({ address, token_sealed: sealed, manager }: Link): VpnClient {
    const token = sealed === null ? '' : this.#dependencies.sealer.open(sealed, sealedAt)
    return this.#client({ address: address ?? '', token, manager })
  }

  /** Ends every request that is under way. */
  #interrupt(reason: VpnFailed): void {
    this.#requests.abort(reason)
    this.#requests = new AbortController()
  }

  #client(access: ConstructorParameters<typeof VpnClient>[0]): VpnClient {
    const guarded = createGuardedFetch(vpnPolicy(this.#dependencies))
    const { signal } = this.#requests
    const fetch: GuardedFetch = (url, request) => guarded(url, { ...request, signal })
    return new VpnClient(access, fetch)
  }
}

/** Two installations of this service may keep records in one VPN. */
const newManager = (): string => `sites-${randomBytes(4).toString('hex')}`
