import type { LogEntry } from '../../src/dns/log-ring.ts'
import { wireOf } from '../../test/query-log-fixture.ts'

const words = 'mail cdn ads static img api tracker metrics push news shop video play login data edge sync auth'.split(
  ' ',
)
const endings = ['com', 'net', 'org', 'de', 'io', 'co.uk', 'example']

/** Names there are: few are asked often, most hardly ever. */
export const nameCount = 200_000
export const clientCount = 60

/**
 * Queries as a busy network asks them, always the same for the same seed: names by Zipf's law, a fifth blocked, five types,
 * lists, rules, caches and upstreams. The entry is one object that is filled again.
 */
export function syntheticQueries(seed: number): (at: number) => LogEntry {
  let state = seed >>> 0
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const names = new Map<number, Uint8Array>()
  const entry: LogEntry = {
    status: 0,
    reason: 0,
    source: 0,
    traits: 0,
    rcode: 0,
    type: 1,
    client: 1,
    at: 0,
    micros: 0,
    upstream: 0,
    name: new Uint8Array(1),
    nameLength: 1,
  }
  return (at) => {
    const number = Math.floor(nameCount ** random())
    let name = names.get(number)
    if (name === undefined) names.set(number, (name = wireOf(nameOf(number))))
    const isBlocked = number % 5 === 2
    const isCached = random() < 0.6
    entry.status = isBlocked ? 1 : 0
    entry.reason = isBlocked ? (number % 35 === 2 ? 2 : 3) : 0
    entry.source = isBlocked ? number % 7 : 0
    entry.traits = isBlocked ? 0 : isCached ? 1 : 0
    entry.rcode = number % 11 === 3 ? 3 : 0
    entry.type = [1, 1, 1, 28, 28, 65, 12, 16][Math.floor(random() * 8)]!
    entry.client = 1 + Math.floor(clientCount * random() ** 2)
    entry.micros = isBlocked || isCached ? 20 + Math.floor(random() * 50) : 3000 + Math.floor(random() * 40_000)
    entry.upstream = isBlocked || isCached ? 0 : 1 + (number % 2)
    entry.at = at
    entry.name = name
    entry.nameLength = name.length
    return entry
  }
}

/** The name with a number; `n` words and a number make it one of its own. */
export function nameOf(number: number): string {
  const word = words[number % words.length]!
  const second = words[Math.floor(number / 7) % words.length]!
  return `${word}.${second}-${number}.${endings[number % endings.length]!}`
}
