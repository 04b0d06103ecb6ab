import { createRandom } from '@hearth/testing'
import { getDomain } from 'tldts'
import { noteBlocked, type SurgeState } from '../src/hints/list-surge.ts'
import { type CountryState, noteCountry } from '../src/hints/new-country.ts'
import { splitName } from '../src/hints/query-watch.ts'
import { noteQuery, type TunnelState } from '../src/hints/tunnelling.ts'
import { notePlace, type PlaceHistory, type Sighting } from '../src/hints/two-places.ts'
import {
  blockedInHour,
  countrySightings,
  type NamedQuery,
  ordinaryDay,
  roamingDay,
  type scanners,
  sharedKey,
  tunnelQueries,
  type tunnels,
} from './hint-traffic.ts'

const day = 86_400_000
const hour = 3_600_000
// A Monday.
const start = Date.parse('2026-11-02T00:00:00Z')

/** Result of one kind of traffic: hints, and the peer-days (or list-days) or cases that they were found in. */
export interface Rate {
  readonly traffic: string
  readonly hints: number
  readonly of: number
}

/** Size of a measurement. */
export interface Size {
  readonly peers: number
  readonly days: number
  readonly seed: number
}

/** Phones that move between Wi-Fi and mobile network: hints of a key used from two places, by peer-days. */
export function roamingPhones({ peers, days, seed }: Size): Rate {
  let hints = 0
  for (let peer = 0; peer < peers; peer += 1) {
    const random = createRandom(seed + peer)
    let history: PlaceHistory | undefined
    for (let index = 0; index < days; index += 1) {
      for (const sighting of roamingDay(random, start + index * day)) {
        const was = history?.isSuspicious === true
        history = notePlace(history, sighting, () => true)
        if (history.isSuspicious && !was) hints += 1
      }
    }
  }
  return { traffic: 'phones between Wi-Fi and mobile network', hints, of: peers * days }
}

/** Keys that two devices use for an hour: how many are found. */
export function sharedKeys(cases: number, { isBusy, seed }: { isBusy: boolean; seed: number }): Rate {
  let hints = 0
  for (let index = 0; index < cases; index += 1) {
    const random = createRandom(seed + index)
    let history: PlaceHistory | undefined
    const sightings: Iterable<Sighting> = sharedKey(random, { start, isBusy })
    for (const sighting of sightings) history = notePlace(history, sighting, () => true)
    if (history?.isSuspicious === true) hints += 1
  }
  return { traffic: `two devices with one key, ${isBusy ? 'in use' : 'idle'}`, hints, of: cases }
}

/** Sightings in countries: hints without a journey by peer-days, and hints of journeys by journeys to a country that is new. */
export function countryRates({ peers, days, seed }: Size, kind: 'home' | 'commuter' | 'traveller') {
  const counts = { falseHints: 0, journeys: 0, found: 0 }
  for (let peer = 0; peer < peers; peer += 1) {
    const random = createRandom(seed + peer)
    let state: CountryState | undefined
    const topics = new Set<string>()
    const visited = new Set<string>()
    for (const { isJourney, ...sighting } of countrySightings(random, { start, days, kind })) {
      if (kind === 'traveller' && isJourney && !visited.has(sighting.country)) {
        visited.add(sighting.country)
        counts.journeys += 1
      }
      const noted = noteCountry(state, sighting)
      state = noted.state
      if (noted.finding === undefined) continue
      if (kind === 'traveller' && isJourney) counts.found += 1
      else if (!topics.has(noted.finding.topic)) counts.falseHints += 1
      topics.add(noted.finding.topic)
    }
  }
  return { ...counts, peerDays: peers * days }
}

const domainOf = (name: string) => getDomain(name, { allowPrivateDomains: true })

/** Domains below which the names of a device look like a tunnel. */
function tunnelDomains(queries: Iterable<NamedQuery>, states: Map<string, TunnelState>): Set<string> {
  const found = new Set<string>()
  for (const { name, ...query } of queries) {
    const split = splitName(name, domainOf)
    if (split === undefined) continue
    const { state, finding } = noteQuery(states.get(split.domain), { ...query, sub: split.sub })
    states.set(split.domain, state)
    if (finding !== undefined) found.add(split.domain)
  }
  return found
}

/** Ordinary queries of devices: hints at tunnels by peer-days; hints at one domain on one day are one. */
export function ordinaryQueries({ peers, days, seed }: Size, scanner?: keyof typeof scanners): Rate {
  let hints = 0
  for (let peer = 0; peer < peers; peer += 1) {
    const random = createRandom(seed + peer)
    const states = new Map<string, TunnelState>()
    for (let index = 0; index < days; index += 1) {
      const queries = ordinaryDay(random, { start: start + index * day, hours: 10, scanner })
      hints += tunnelDomains(queries, states).size
    }
  }
  const by = scanner === undefined ? '' : `, ${scanner} virus scanner`
  return { traffic: `ordinary queries${by}`, hints, of: peers * days }
}

/** Tunnels of a kind for two hours: how many are found. */
export function foundTunnels(kind: keyof typeof tunnels, cases: number, seed: number): Rate {
  let hints = 0
  for (let index = 0; index < cases; index += 1) {
    if (tunnelDomains(tunnelQueries(createRandom(seed + index), kind, start), new Map()).size > 0) hints += 1
  }
  return { traffic: kind, hints, of: cases }
}

/** Lists of ordinary devices: hints by list-days; hints of one day are one. */
export function ordinaryLists({ peers: lists, days, seed }: Size, perHour: number): Rate {
  let hints = 0
  for (let list = 0; list < lists; list += 1) {
    const random = createRandom(seed + list)
    let state: SurgeState | undefined
    let lastDay = -1
    for (let at = start; at < start + days * day; at += hour) {
      const noted = noteBlocked(state, blockedInHour(random, { at, perHour, isHammered: random() < 0.003 }))
      state = noted.state
      const today = Math.floor(at / day)
      if (noted.finding !== undefined && today !== lastDay) {
        hints += 1
        lastDay = today
      }
    }
  }
  return { traffic: `lists that block ${perHour} queries an hour`, hints, of: lists * days }
}

/** Lists that block so many times as much for six hours of a day after two weeks: how many are found. */
export function surgingLists(
  cases: number,
  { perHour, times, seed }: { perHour: number; times: number; seed: number },
): Rate {
  let hints = 0
  for (let list = 0; list < cases; list += 1) {
    const random = createRandom(seed + list)
    let state: SurgeState | undefined
    let isFound = false
    const surge = start + 15 * day + 9 * hour
    for (let at = start; at < surge + 6 * hour; at += hour) {
      const noted = noteBlocked(state, blockedInHour(random, { at, perHour: at < surge ? perHour : perHour * times }))
      state = noted.state
      if (at >= surge && noted.finding !== undefined) isFound = true
    }
    if (isFound) hints += 1
  }
  return { traffic: `a list of ${perHour} an hour blocks ${times} times as much`, hints, of: cases }
}
