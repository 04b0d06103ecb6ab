import type { Timers } from '@hearth/runtime'
import { atMost, shakeHands, type Handshake } from '../grader/handshake.ts'
import type { NodeEndpoint, SiteHost, SiteHosts } from '../site-host.ts'
import { certificateOf, type CertificateState, type HostCertificate } from './certificate-state.ts'

/** Handshakes at the same time, how long one may take, and how long an answer is good for, milliseconds. */
const concurrency = 10
const defaultHandshakeMs = 5000
const goodFor = 600_000
/** Time that a caller waits for the inventory, milliseconds; with thousands of hosts the rest follows later. */
const patience = 10_000
/** Number of hosts in a row without an answer after which the server counts as gone and the others are not tried. */
const givingUp = 20

export interface InventoryDependencies {
  readonly hosts: SiteHosts
  readonly timers: Timers
  readonly roots?: readonly string[]
  /** Time limit of one handshake, milliseconds; 5000. */
  readonly handshakeMs?: number
  /** Called when a host shows another certificate, or is in another state, than at the last check. */
  readonly onChange?: (now: HostCertificate, before: HostCertificate) => void
  /** Called with every host after all were checked. */
  readonly onChecked?: (all: readonly HostCertificate[]) => void
}

/** The certificates of all hosts, found by handshakes with the managed server: what visitors get and not what is stored. */
export class Inventory {
  readonly #dependencies: InventoryDependencies
  readonly #known = new Map<string, HostCertificate>()
  #checkedAt: number | undefined
  #inspecting: Promise<void> | undefined
  #outdated = 0

  constructor(dependencies: InventoryDependencies) {
    this.#dependencies = dependencies
  }

  /** Every host; checked again when the last check is older than ten minutes. A slow host follows in a later answer. */
  async list(): Promise<readonly HostCertificate[]> {
    const { timers } = this.#dependencies
    const isGood = this.#checkedAt !== undefined && timers.monotonic() - this.#checkedAt < goodFor
    if (!isGood) await this.#patiently(this.#inspecting ?? this.#withLock(undefined))
    return [...this.#known.values()]
  }

  /** Checks all hosts now, or those of some sites. */
  async refresh(siteIds?: readonly number[]): Promise<readonly HostCertificate[]> {
    await this.#patiently(this.#withLock(siteIds))
    return [...this.#known.values()]
  }

  /** Every host as of the last check. Never connects. */
  known(): readonly HostCertificate[] {
    return [...this.#known.values()]
  }

  /** Marks the last check as out of date, because what runs has changed. */
  outdate(): void {
    this.#checkedAt = undefined
    this.#outdated += 1
  }

  /** Counts the certificates of the last check; undefined before the first. Those that expire soon count as valid too. Never connects. */
  counts(): { valid: number; expired: number; expiringSoon: number } | undefined {
    if (this.#known.size === 0 && this.#checkedAt === undefined) return undefined
    const all = [...this.#known.values()]
    const count = (...states: CertificateState[]) => all.filter(({ state }) => states.includes(state)).length
    return { valid: count('valid', 'expiring'), expired: count('expired'), expiringSoon: count('expiring') }
  }

  async #patiently(check: Promise<void>): Promise<void> {
    const done = new AbortController()
    const late = this.#dependencies.timers.delay(patience, done.signal).catch(() => undefined)
    // A caller that left earlier gets no failure; the next caller does.
    check.catch(() => undefined)
    try {
      await Promise.race([check, late])
    } finally {
      done.abort()
    }
  }

  /** One check at a time: a request during a check gets one that starts after the request. */
  async #withLock(siteIds: readonly number[] | undefined): Promise<void> {
    const last = this.#inspecting
    const mine = (async () => {
      await last?.catch(() => undefined)
      await this.#check(siteIds === undefined ? undefined : new Set(siteIds))
    })()
    this.#inspecting = mine
    try {
      await mine
    } finally {
      if (this.#inspecting === mine) this.#inspecting = undefined
    }
  }

  async #check(siteIds: ReadonlySet<number> | undefined): Promise<void> {
    const { hosts, timers } = this.#dependencies
    const begun = timers.monotonic()
    const outdated = this.#outdated
    const all = (await hosts.list()).filter(({ tlsMode }) => tlsMode !== 'off')
    const endpoint = await hosts.endpoint()
    const names = new Set(all.map(({ host }) => host))
    for (const host of this.#known.keys()) if (!names.has(host)) this.#known.delete(host)
    const wanted = all.filter(
      ({ siteId, host }) => siteIds === undefined || siteIds.has(siteId) || !this.#known.has(host),
    )
    const check = createCheck(endpoint, this.#dependencies)
    await atMost(concurrency, wanted, async (site) => this.#note(await check(site)))
    if (siteIds === undefined && outdated === this.#outdated) this.#checkedAt = begun
    this.#dependencies.onChecked?.(this.known())
  }

  #note(result: HostCertificate): void {
    const last = this.#known.get(result.host)
    this.#known.set(result.host, result)
    if (last !== undefined && isOther(result, last)) this.#dependencies.onChange?.(result, last)
  }
}

const isOther = (one: HostCertificate, other: HostCertificate): boolean =>
  one.state !== other.state || one.certificate?.fingerprint !== other.certificate?.fingerprint

/** Checks one host after the other; a server that answers none of many is not tried for the rest. */
function createCheck(
  endpoint: NodeEndpoint | undefined,
  { roots, handshakeMs = defaultHandshakeMs, timers }: Omit<InventoryDependencies, 'hosts'>,
): (site: SiteHost) => Promise<HostCertificate> {
  let silent = 0
  let last: Handshake = { kind: 'unreachable', reason: 'no server is set up' }
  return async (site) => {
    if (endpoint !== undefined && silent < givingUp) {
      const { address, httpsPort: port } = endpoint
      last = await shakeHands({ address, port, host: site.host, roots, timeoutMs: handshakeMs })
      silent = last.kind === 'unreachable' ? silent + 1 : 0
    }
    return certificateOf(site, last, timers.now())
  }
}
