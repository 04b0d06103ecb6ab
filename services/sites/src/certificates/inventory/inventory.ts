import type { Clock } from '@hearth/runtime'
import { atMost } from '../at-most.ts'
import { shakeHands } from '../grader/handshake.ts'
import type { NodeEndpoint, SiteHost, SiteHosts } from '../site-host.ts'
import { certificateOf, type CertificateState, type HostCertificate } from './certificate-state.ts'

/** Handshakes at the same time, how long one may take, and how long an answer is good for, milliseconds. */
const concurrency = 10
const handshakeMs = 5000
const goodFor = 600_000

/** Numbers for the dashboard. */
export interface CertificateCounts {
  readonly valid: number
  readonly expired: number
  /** Within seven days, or the last quarter of a short life. */
  readonly expiringSoon: number
}

/** The certificates of all hosts, as who connects sees them. */
export interface Inventory {
  /** Every host; looked at anew when the last look is older than ten minutes. */
  list(): Promise<readonly HostCertificate[]>
  /** Looks at all hosts now, or at those of some sites. */
  refresh(siteIds?: readonly number[]): Promise<readonly HostCertificate[]>
  /** The last look will not do any more: what runs has changed. */
  outdate(): void
  /** Of the last look; undefined before the first. Never connects. */
  counts(): CertificateCounts | undefined
}

export interface InventoryParts {
  readonly hosts: SiteHosts
  readonly clock: Clock
  readonly roots?: readonly string[]
  /** Told when a host shows another certificate, or is in another state, than at the last look. */
  readonly onChange?: (now: HostCertificate, before: HostCertificate) => void
}

/** An inventory that looks by handshakes with the managed server, so that it shows what visitors get and not what is stored. */
export function createInventory(parts: InventoryParts): Inventory {
  return new Handshakes(parts)
}

class Handshakes implements Inventory {
  readonly #parts: InventoryParts
  #known: ReadonlyMap<string, HostCertificate> = new Map()
  #lookedAt: number | undefined
  #looking: Promise<void> | undefined

  constructor(parts: InventoryParts) {
    this.#parts = parts
  }

  async list(): Promise<readonly HostCertificate[]> {
    const isGood = this.#lookedAt !== undefined && this.#parts.clock.monotonic() - this.#lookedAt < goodFor
    if (!isGood) await (this.#looking ?? this.#inTurn(undefined))
    return [...this.#known.values()]
  }

  async refresh(siteIds?: readonly number[]): Promise<readonly HostCertificate[]> {
    await this.#inTurn(siteIds)
    return [...this.#known.values()]
  }

  outdate(): void {
    this.#lookedAt = undefined
  }

  counts(): CertificateCounts | undefined {
    if (this.#known.size === 0 && this.#lookedAt === undefined) return undefined
    const all = [...this.#known.values()]
    const count = (...states: CertificateState[]) => all.filter(({ state }) => states.includes(state)).length
    return { valid: count('valid', 'expiring'), expired: count('expired'), expiringSoon: count('expiring') }
  }

  /** One look at a time: who asks for one while another is under way gets one that begins after the asking. */
  async #inTurn(siteIds: readonly number[] | undefined): Promise<void> {
    const last = this.#looking
    const mine = (async () => {
      await last?.catch(() => undefined)
      await this.#look(siteIds === undefined ? undefined : new Set(siteIds))
    })()
    this.#looking = mine
    try {
      await mine
    } finally {
      if (this.#looking === mine) this.#looking = undefined
    }
  }

  async #look(siteIds: ReadonlySet<number> | undefined): Promise<void> {
    const { hosts, clock } = this.#parts
    const begun = clock.monotonic()
    const all = (await hosts.list()).filter(({ tlsMode }) => tlsMode !== 'off')
    const endpoint = await hosts.endpoint()
    const before = this.#known
    const asked = all.filter(({ siteId, host }) => siteIds === undefined || siteIds.has(siteId) || !before.has(host))
    const results = await atMost(concurrency, asked, (site) => lookAt(site, { ...this.#parts, endpoint }))
    const fresh = new Map(results.map((result) => [result.host, result]))
    const entries = all.flatMap(({ host }) => fresh.get(host) ?? before.get(host) ?? [])
    this.#known = new Map(entries.map((entry) => [entry.host, entry]))
    if (siteIds === undefined) this.#lookedAt = begun
    this.#tellChanges(results, before)
  }

  #tellChanges(results: readonly HostCertificate[], before: ReadonlyMap<string, HostCertificate>): void {
    for (const result of results) {
      const last = before.get(result.host)
      if (last !== undefined && isOther(result, last)) this.#parts.onChange?.(result, last)
    }
  }
}

const isOther = (one: HostCertificate, other: HostCertificate): boolean =>
  one.state !== other.state || one.certificate?.fingerprint !== other.certificate?.fingerprint

async function lookAt(
  site: SiteHost,
  { endpoint, roots, clock }: Omit<InventoryParts, 'hosts'> & { readonly endpoint: NodeEndpoint | undefined },
): Promise<HostCertificate> {
  if (endpoint === undefined)
    return certificateOf(site, { kind: 'unreachable', reason: 'no server is set up' }, clock.now())
  const target = { address: endpoint.address, port: endpoint.httpsPort, host: site.host, roots, timeoutMs: handshakeMs }
  return certificateOf(site, await shakeHands(target), clock.now())
}
