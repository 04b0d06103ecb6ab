import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import { hostOfEndpoint } from '../traffic/bucket.ts'
import { type Atlas, distanceBetween, locationOf } from './finding.ts'
import type { Hints } from './hints.ts'
import { type CountryFinding, type CountryState, noteCountry } from './new-country.ts'
import type { Evidence } from './schema.ts'
import { deleteStates, readStates, writeStates } from './store.ts'
import { notePlace, type PlaceHistory } from './two-places.ts'

const hour = 3_600_000
/** Country states are written this often, milliseconds. */
const writeEveryMs = 60_000
/** New countries that a hint names. */
const maxNew = 20

/** A peer whose activity changed. */
export interface WatchedPeer {
  readonly id: string
  readonly name: string
  readonly activity: { readonly endpoint: string | null; readonly last_handshake: number | null }
}

export interface PeerWatchDependencies {
  readonly db: Kysely<Tables>
  readonly hints: Pick<Hints, 'record' | 'isOn' | 'isExpected'>
  readonly atlas: Atlas
  readonly peer: (id: string) => { readonly name: string } | undefined
}

/** Watches where peers connect from. */
export class PeerWatch {
  readonly #dependencies: PeerWatchDependencies
  readonly #places = new Map<string, PlaceHistory>()
  #countries: Map<string, CountryState> | undefined
  readonly #unwritten = new Set<string>()
  #writtenAt = 0
  /** True once nothing is kept of countries, because their hints are off. */
  #isForgotten = false

  constructor(dependencies: PeerWatchDependencies) {
    this.#dependencies = dependencies
  }

  /** Takes over a round of sampling. */
  async sampled({ at, changed }: { at: number; changed: readonly WatchedPeer[] }): Promise<void> {
    const { hints } = this.#dependencies
    const [watchesPlaces, watchesCountries] = [hints.isOn('two_places'), hints.isOn('new_country')]
    if (!watchesPlaces) this.#places.clear()
    if (watchesCountries) this.#isForgotten = false
    else await this.#forgetCountries()
    for (const peer of watchesPlaces || watchesCountries ? changed : []) {
      const host = hostOfEndpoint(peer.activity.endpoint)
      if (host === '') continue
      if (watchesPlaces) await this.#notePlace(peer, host, at)
      if (watchesCountries) await this.#noteCountry(peer, host, at)
    }
    if (this.#unwritten.size > 0 && Math.abs(at - this.#writtenAt) >= writeEveryMs) await this.flush(at)
  }

  /** Switched off, nothing is kept of where peers connected from. */
  async #forgetCountries(): Promise<void> {
    if (this.#isForgotten) return
    this.#countries = undefined
    this.#unwritten.clear()
    await deleteStates(this.#dependencies.db, 'new_country')
    this.#isForgotten = true
  }

  async #notePlace(peer: WatchedPeer, host: string, at: number): Promise<void> {
    const before = this.#places.get(peer.id)
    const after = notePlace(before, { host, at, handshake: peer.activity.last_handshake }, (from, to) =>
      this.#isFar(from, to),
    )
    this.#places.set(peer.id, after)
    const isMore = after.returns.at(-1)?.at !== before?.returns.at(-1)?.at
    if (!after.isSuspicious || !isMore) return
    const { id, name } = peer
    const evidence = (): Evidence => this.#placesEvidence(after)
    await this.#dependencies.hints.record({
      kind: 'two_places',
      subject: { id, name },
      topic: '',
      about: '',
      at,
      evidence,
    })
  }

  /** Another country, or another provider; where nothing is known, networks count as far from each other. */
  #isFar(from: string, to: string): boolean {
    const { place } = this.#dependencies.atlas
    const [a, b] = [place(from), place(to)]
    if (a.asn === 0 && b.asn === 0 && a.country === 'ZZ' && b.country === 'ZZ') return true
    return a.asn !== b.asn || a.country !== b.country
  }

  #placesEvidence({ returns, sightings }: PlaceHistory): Evidence {
    const { atlas } = this.#dependencies
    const places = [...new Set(sightings.map(({ host }) => host))].map((host) => atlas.place(host))
    const distances = places.flatMap((from, index) => places.slice(index + 1).map((to) => distanceBetween(from, to)))
    const known = distances.filter((distance) => distance !== null)
    return {
      kind: 'two_places',
      returns: returns.length,
      distance_km: known.length === 0 ? null : Math.max(...known),
      sightings: sightings.map(({ host, at, handshake }) => ({
        ...locationOf(atlas, host),
        at: new Date(at).toISOString(),
        handshake_at: handshake === null ? null : new Date(handshake).toISOString(),
      })),
    }
  }

  async #noteCountry(peer: WatchedPeer, host: string, at: number): Promise<void> {
    const { atlas, hints } = this.#dependencies
    const { country } = atlas.place(host)
    if (country === 'ZZ') return
    this.#countries ??= await this.#load()
    const before = this.#countries.get(peer.id)
    // The same country again is written once an hour.
    if (before?.country === country && at - (before.known[country] ?? 0) < hour) return
    const { state, finding } = noteCountry(before, { host, country, at })
    this.#countries.set(peer.id, state)
    this.#unwritten.add(peer.id)
    if (finding === undefined) return
    const { id, name } = peer
    const evidence = (open: Evidence | undefined) => this.#countryEvidence(finding, { host, at, open })
    const whose = { subject: { id, name }, topic: finding.topic, about: country }
    await hints.record({ kind: 'new_country', ...whose, at, evidence })
  }

  #countryEvidence(
    { known, since }: CountryFinding,
    { host, at, open }: { host: string; at: number; open: Evidence | undefined },
  ): Evidence {
    const { atlas } = this.#dependencies
    const earlier = open?.kind === 'new_country' ? open : undefined
    const seen = Object.entries(known).sort(([, a], [, b]) => b - a)
    return {
      kind: 'new_country',
      known:
        earlier?.known ??
        seen.map(([code, last]) => {
          return { country_code: code, country: atlas.countryName(code), last_seen: new Date(last).toISOString() }
        }),
      known_since: new Date(since).toISOString(),
      new: [...(earlier?.new ?? []), { ...locationOf(atlas, host), at: new Date(at).toISOString() }].slice(-maxNew),
    }
  }

  /** Forgets peers that are gone, and returns those whose keys seem to be used from two places. */
  suspicious(): { id: string; history: PlaceHistory }[] {
    const { peer, hints } = this.#dependencies
    for (const id of this.#places.keys()) {
      if (peer(id) !== undefined) continue
      this.#places.delete(id)
      this.#countries?.delete(id)
      this.#unwritten.delete(id)
    }
    if (!hints.isOn('two_places')) return []
    return [...this.#places].flatMap(([id, history]) =>
      history.isSuspicious && !hints.isExpected('two_places', id, '') ? [{ id, history }] : [],
    )
  }

  /** True if the peer was seen since the start, or nobody looks. */
  hasSeen(id: string): boolean {
    return this.#places.has(id) || !this.#dependencies.hints.isOn('two_places')
  }

  async #load(): Promise<Map<string, CountryState>> {
    const rows = await readStates(this.#dependencies.db, 'new_country')
    return new Map(rows.map(({ subject, state }) => [subject, JSON.parse(state) as CountryState]))
  }

  /** Writes down what was learned. */
  async flush(now: number): Promise<void> {
    this.#writtenAt = now
    const states = new Map<string, string>()
    for (const id of this.#unwritten) states.set(id, JSON.stringify(this.#countries?.get(id)))
    this.#unwritten.clear()
    await writeStates(this.#dependencies.db, 'new_country', states)
  }
}
