import { networkOf } from './two-places.ts'

const day = 86_400_000
/** Time from the first sighting of a peer in which every country is learned without a hint, milliseconds. */
const learningMs = 7 * day
/** A country in which the peer was not seen for so long is forgotten, milliseconds. */
const forgottenMs = 180 * day
/** New countries so soon after each other belong to one journey and make one hint, milliseconds. */
const journeyMs = 3 * day
const maxCountries = 60

/** Where a peer connected from: what is kept of it between two sightings. */
export interface CountryState {
  /** First sighting, milliseconds since the epoch. */
  readonly since: number
  /** By ISO 3166-1 alpha-2: when the peer was last seen there. */
  readonly known: Readonly<Record<string, number>>
  /** Network and country of the last sighting. */
  readonly network: string
  readonly country: string
  /** The journey that new countries belong to: its first country, and when its last one was new. */
  readonly journey?: { readonly topic: string; readonly at: number }
}

/** A sighting of a peer in a country that is known. */
export interface CountrySighting {
  readonly host: string
  readonly country: string
  readonly at: number
}

/** A country that a peer was never seen in. */
export interface CountryFinding {
  /** Country that the journey began in: findings of one journey have the same. */
  readonly topic: string
  readonly country: string
  /** Countries that were known before, with their last sightings. */
  readonly known: Readonly<Record<string, number>>
  readonly since: number
}

/**
 * Judges where a peer connects from. Countries of its first seven days are learned in silence; after that a country in which it
 * was not seen for 180 days is new, once. Countries that are new within three days of each other belong to one journey. An
 * address of the network that the peer was last seen in does not become new by a database that places it elsewhere.
 */
export function noteCountry(
  state: CountryState | undefined,
  { host, country, at }: CountrySighting,
): { readonly state: CountryState; readonly finding?: CountryFinding } {
  const network = networkOf(host)
  if (state === undefined) return { state: { since: at, known: { [country]: at }, network, country } }
  const known = remembered(state.known, at)
  const next: CountryState = { ...state, known: { ...known, [country]: at }, network, country }
  if (Object.hasOwn(known, country) || state.network === network || at - state.since < learningMs)
    return { state: next }
  const { journey } = state
  const topic = journey !== undefined && at - journey.at < journeyMs ? journey.topic : country
  const finding = { topic, country, known, since: state.since }
  return { state: { ...next, journey: { topic, at } }, finding }
}

function remembered(known: Readonly<Record<string, number>>, now: number): Record<string, number> {
  const recent = Object.entries(known).filter(([, at]) => now - at < forgottenMs)
  return Object.fromEntries(recent.sort(([, a], [, b]) => b - a).slice(0, maxCountries))
}
