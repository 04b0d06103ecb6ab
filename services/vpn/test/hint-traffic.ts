import type { BlockedCount } from '../src/hints/list-surge.ts'
import type { Sighting } from '../src/hints/two-places.ts'

/** Numbers from 0 to 1. */
export type Random = () => number

const second = 1000
const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
/** A device with a session makes a new handshake after so long (REKEY_AFTER_TIME). */
const rekeyMs = 120 * second
/** A device that gets no answer makes one after so long (KEEPALIVE_TIMEOUT and REKEY_TIMEOUT). */
const silenceMs = 15 * second

const between = (random: Random, from: number, to: number): number => from + random() * (to - from)
const exponential = (random: Random, mean: number): number => -mean * Math.log(1 - random())
const choice = <T>(random: Random, values: readonly T[]): T => values[Math.floor(random() * values.length)] as T

/** A number of events with this mean: Poisson, for large means near enough. */
export function poisson(random: Random, mean: number): number {
  if (mean > 50) return Math.max(0, Math.round(mean + Math.sqrt(mean) * gaussian(random)))
  let count = 0
  for (let product = random(); product > Math.exp(-mean); product *= random()) count += 1
  return count
}

const gaussian = (random: Random): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

/** Where a phone is in one day: at the edge of its Wi-Fi it goes back and forth between two networks. */
export function* roamingDay(random: Random, start: number): Generator<Sighting> {
  const wifi = `192.0.2.${1 + Math.floor(random() * 250)}`
  const mobile = `198.51.100.${1 + Math.floor(random() * 250)}`
  const edges = 2 + Math.floor(random() * 5)
  let handshake = start
  let [here, last] = [wifi, start]
  for (let edge = 0; edge < edges; edge += 1) {
    let at = start + (edge + random()) * (day / edges) * 0.9
    // Bad reception: some changes cost so many packets that the device begins a new session.
    const lossMs = random() < 0.1 ? 8 * second : 3 * second
    const changes = 2 + Math.floor(exponential(random, 6))
    for (let change = 0; change < changes; change += 1) {
      here = here === wifi ? mobile : wifi
      // While it stayed in one place its session was renewed when that was due.
      if (at - handshake >= rekeyMs) handshake += Math.floor((at - handshake) / rekeyMs) * rekeyMs
      const isLost = exponential(random, lossMs) > silenceMs
      if (isLost) handshake = at
      last = Math.max(last + 1, at)
      yield { host: here, at: last, handshake }
      at += between(random, 10 * second, 3 * minute)
    }
  }
}

/** Two devices with the same key for an hour: both are used, or both only keep their connection. */
export function* sharedKey(random: Random, { start, isBusy }: { start: number; isBusy: boolean }): Generator<Sighting> {
  let at = start
  let isFirst = true
  while (at < start + hour) {
    yield { host: isFirst ? '192.0.2.7' : '203.0.113.9', at, handshake: at }
    isFirst = !isFirst
    at += isBusy ? between(random, 10 * second, 25 * second) : between(random, 40 * second, 80 * second)
  }
}

/** A query as it counts for the hint at tunnels. */
export interface NamedQuery {
  readonly at: number
  readonly name: string
  readonly type: number
  readonly isMissing: boolean
}

const hex = '0123456789abcdef'
const base32 = 'abcdefghijklmnopqrstuvwxyz234567'
function text(random: Random, alphabet: string, length: number): string {
  let result = ''
  while (result.length < length) result += alphabet.charAt(Math.floor(random() * alphabet.length))
  return result
}

/** Names of ordinary traffic that are long or different each time, with how often a busy device queries them in an hour. */
const ordinary: readonly {
  readonly perHour: number
  readonly type?: number
  readonly name: (random: Random) => string
}[] = [
  // Edges of content networks: few names, again and again.
  { perHour: 12, name: (random) => `d${text(random, hex, 2)}11abcdef8.cloudfront.net` },
  { perHour: 8, name: (random) => `scontent-fra${Math.ceil(random() * 5)}-${Math.ceil(random() * 2)}.xx.fbcdn.net` },
  {
    perHour: 6,
    name: (random) => `ipv4-c${text(random, '0123456789', 3)}-fra00${Math.ceil(random() * 4)}-ix.1.oca.nflxvideo.net`,
  },
  {
    perHour: 6,
    name: (random) => `rr${Math.ceil(random() * 6)}---sn-4g5e6n${text(random, 'ezs7', 2)}.googlevideo.com`,
  },
  // Storage and functions in clouds.
  {
    perHour: 5,
    name: (random) => `customer-assets-production-${Math.ceil(random() * 30)}.s3.eu-central-1.amazonaws.com`,
  },
  { perHour: 4, name: (random) => `prod-telemetry-ingest-${text(random, hex, 8)}.westeurope.cloudapp.azure.com` },
  // One name for each page, mail or measurement.
  { perHour: 10, name: (random) => `${text(random, hex, 32)}.safeframe.example-ads.com` },
  { perHour: 5, name: (random) => `${text(random, base32, 26)}.metrics.example-analytics.net` },
  { perHour: 3, name: (random) => `${text(random, hex, 36)}.r.eu-west-1.awstrack.me` },
  // Mail: keys, policies and block lists of addresses.
  {
    perHour: 6,
    type: 16,
    name: (random) => `selector${Math.ceil(random() * 3)}-${text(random, hex, 16)}._domainkey.example-sender.com`,
  },
  {
    perHour: 30,
    name: (random) => `${[1, 2, 3, 4].map(() => Math.floor(random() * 256)).join('.')}.zen.example-dnsbl.org`,
  },
  {
    perHour: 20,
    type: 12,
    name: (random) => `${[1, 2, 3, 4].map(() => Math.floor(random() * 256)).join('.')}.in-addr.arpa`,
  },
  { perHour: 5, type: 33, name: () => '_ldap._tcp.dc._msdcs.office.example.com' },
]

/** Look-ups of files and pages by a virus scanner: of a known service, and of one that is on no list. */
export const scanners = {
  known: {
    type: 16,
    name: (random: Random) => `${text(random, hex, 40)}.${text(random, hex, 12)}.samples.sophosxl.net`,
  },
  unknown: { type: 16, name: (random: Random) => `${text(random, hex, 32)}.q.example-antivirus.com` },
} as const

/** Ordinary queries of a device in one day, in the order of time within each hour. */
export function* ordinaryDay(
  random: Random,
  options: { readonly start: number; readonly hours: number; readonly scanner?: keyof typeof scanners | undefined },
): Generator<NamedQuery> {
  const { start, hours, scanner } = options
  for (let index = 0; index < hours; index += 1) {
    const from = start + (8 + index) * hour
    const queries: NamedQuery[] = []
    const load = between(random, 0.2, 2)
    const add = (perHour: number, { type = 1, name }: { type?: number; name: (random: Random) => string }) => {
      for (let left = poisson(random, perHour * load); left > 0; left -= 1) {
        queries.push({ at: from + random() * hour, name: name(random), type, isMissing: random() < 0.1 })
      }
    }
    for (const each of ordinary) add(each.perHour, each)
    if (scanner !== undefined) add(80, scanners[scanner])
    yield* queries.sort((a, b) => a.at - b.at)
  }
}

/** Tunnels by the names that they make, and how often. */
export const tunnels = {
  'iodine, NULL, in use': {
    everyMs: 100,
    type: 10,
    name: (random: Random) => `${text(random, base32, 57)}.${text(random, base32, 40)}`,
  },
  'iodine, NULL, idle': { everyMs: 4000, type: 10, name: (random: Random) => `p${text(random, base32, 8)}` },
  'iodine, CNAME, idle': { everyMs: 4000, type: 5, name: (random: Random) => `p${text(random, base32, 8)}` },
  'iodine, TXT, in use': {
    everyMs: 250,
    type: 16,
    name: (random: Random) => `${text(random, base32, 57)}.${text(random, base32, 20)}`,
  },
  'iodine, A, in use': {
    everyMs: 500,
    type: 1,
    name: (random: Random) => `${text(random, base32, 57)}.${text(random, base32, 30)}`,
  },
  'dnscat2, one a second': {
    everyMs: 1000,
    type: 16,
    name: (random: Random) => text(random, hex, 18 + Math.floor(random() * 30)),
  },
  'exfiltration, one in 5 s': { everyMs: 5000, type: 1, name: (random: Random) => text(random, base32, 60) },
  'exfiltration, one in 12 s': { everyMs: 12_000, type: 1, name: (random: Random) => text(random, base32, 60) },
  /** No tunnel, but nothing tells it from one. */
  'whole disk scanned by an unknown virus scanner': {
    everyMs: 1000,
    type: 16,
    name: (random: Random) => `${text(random, hex, 32)}.q`,
  },
  'exfiltration, one in a minute': { everyMs: minute, type: 1, name: (random: Random) => text(random, base32, 60) },
} as const

/** Queries of a tunnel for two hours. */
export function* tunnelQueries(random: Random, kind: keyof typeof tunnels, start: number): Generator<NamedQuery> {
  const { everyMs, type, name } = tunnels[kind]
  for (let at = start; at < start + 2 * hour; at += everyMs * between(random, 0.7, 1.3)) {
    yield { at, name: `${name(random)}.t.evil.example`, type, isMissing: false }
  }
}

/** What a list blocks in one hour: by day and night, on weekends less, with a device that repeats itself now and then. */
export function blockedInHour(
  random: Random,
  { at, perHour, isHammered = false }: { at: number; perHour: number; isHammered?: boolean },
): BlockedCount {
  const date = new Date(at)
  const isWeekend = date.getUTCDay() % 6 === 0
  const rhythm = 0.15 + Math.max(0, Math.sin(((date.getUTCHours() - 6) / 16) * Math.PI)) * (isWeekend ? 0.7 : 1.2)
  const busy = Math.exp(0.5 * gaussian(random))
  const count = poisson(random, perHour * rhythm * busy)
  const names = Array.from({ length: 20 }, (_, index) => ({
    name: `ads${index}.example.com`,
    client: 1 + (index % 7),
    count: Math.ceil(count / 40),
  }))
  if (!isHammered) return { at, count, names }
  const repeats = 3000 + Math.floor(random() * 20_000)
  return { at, count: count + repeats, names: [...names, { name: 'log.tv.example', client: 9, count: repeats }] }
}

/** Countries in which a peer is seen in a number of days. */
export function* countrySightings(
  random: Random,
  { start, days, kind }: { start: number; days: number; kind: 'home' | 'commuter' | 'traveller' },
): Generator<{ host: string; country: string; at: number; isJourney: boolean }> {
  let [away, place] = [0, 'DE']
  for (let index = 0; index < days; index += 1) {
    if (away > 0) away -= 1
    // A week or so abroad, twice in such a month for those who travel.
    else if (kind === 'traveller' && index > 8 && random() < 0.08) {
      away = 2 + Math.floor(random() * 7)
      place = choice(random, ['FR', 'IT', 'ES', 'US', 'JP', 'GB'])
    }
    for (let at = 0; at < 6; at += 1) {
      const isAbroad = away > 0 || (kind === 'commuter' && at > 1 && at < 5)
      // Now and then a provider of phones has an address that its database places elsewhere.
      const isMisplaced = !isAbroad && random() < 0.0005
      const country = isMisplaced ? 'NL' : !isAbroad ? 'DE' : kind === 'commuter' ? 'CH' : place
      const host = `${country === 'DE' ? 10 : country === 'CH' ? 11 : 12}.${index % 200}.${at}.1`
      yield { host, country, at: start + index * day + at * 4 * hour, isJourney: isAbroad }
    }
  }
}
