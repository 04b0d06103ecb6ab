import { localZones } from './policy/local-zones.data.ts'
import { zoneStart } from './policy/local-zones.ts'
import { Rcode, Type } from './wire/codes.ts'
import { isWithin, type Name } from './wire/name.ts'
import type { Question } from './wire/question.ts'
import { type Reply, Section } from './wire/reply.ts'
import { wireName } from './wire/wire-name.ts'

/** Seconds, as in unbound. */
const ttl = 10_800

const headerBytes = 12
const localhost = wireName('localhost')!
const loopback4 = Uint8Array.of(127, 0, 0, 1)
const loopback6 = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)
/** Serial, refresh, retry, expire, minimum. */
const soaNumbers = new DataView(new ArrayBuffer(20))
for (const [n, value] of [1, 3600, 1200, 604_800, ttl].entries()) soaNumbers.setUint32(4 * n, value)
const soa = Uint8Array.from([...localhost, ...wireName('nobody.invalid')!, ...new Uint8Array(soaNumbers.buffer)])

/** Names below a zone that exist: the loopback addresses have a PTR record. */
const pointers = [`1.0.0.127.in-addr.arpa`, `1.${'0.'.repeat(31)}ip6.arpa`].map((domain) => wireName(domain)!)
const localhostZone = localZones.findIndex(({ domain }) => domain === 'localhost')

/** DS records of a zone stand in the zone above it, which is queried: its signed answer says that the zone is not signed. */
export const isQueriedAtParent = ({ name, type }: Question, zone: number): boolean =>
  type === Type.ds && zoneStart(name, zone) === 0

/** Response code for a name in a local zone: it exists, or it does not. */
export function localRcode({ name }: Question, zone: number): number {
  if (zone === localhostZone || zoneStart(name, zone) === 0) return Rcode.noError
  for (let k = 0; k < pointers.length; k++) {
    // A name above an existing one exists as well (RFC 8020).
    if (isSame(name, pointers[k]!) || isAbove(name, pointers[k]!)) return Rcode.noError
  }
  return Rcode.noSuchName
}

/** After `begin` with `localRcode`: the records of a question about a name in a local zone, or the SOA where there are none. */
export function writeLocal(reply: Reply, question: Question, zone: number): void {
  const { name, type } = question
  const start = zoneStart(name, zone)
  if (zone === localhostZone && type === Type.a) reply.record(Section.answer, headerBytes, type, ttl, loopback4)
  else if (zone === localhostZone && type === Type.aaaa) reply.record(Section.answer, headerBytes, type, ttl, loopback6)
  else if (type === Type.ptr && isPointer(name)) reply.record(Section.answer, headerBytes, type, ttl, localhost)
  else if (type === Type.ns && start === 0) reply.record(Section.answer, headerBytes, type, ttl, localhost)
  else if (type === Type.soa && start === 0) reply.record(Section.answer, headerBytes, type, ttl, soa)
  else reply.record(Section.authority, headerBytes + start, Type.soa, ttl, soa)
}

function isPointer(name: Name): boolean {
  for (let k = 0; k < pointers.length; k++) if (isSame(name, pointers[k]!)) return true
  return false
}

const isSame = (name: Name, domain: Uint8Array): boolean => name.length === domain.length && isWithin(name, domain)

/** Returns true if the domain is below the name. */
function isAbove({ bytes, length }: Name, domain: Uint8Array): boolean {
  const from = domain.length - length
  if (from <= 0) return false
  for (let at = 0; at < length; at++) if (bytes[at] !== domain[from + at]) return false
  return true
}
