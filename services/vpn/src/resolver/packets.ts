import { Type } from '../dns/wire/codes.ts'
import { Name, readName, skipName, textOf } from '../dns/wire/name.ts'
import { RecordReader } from '../dns/wire/record-reader.ts'
import { wireName } from '../dns/wire/wire-name.ts'

const headerBytes = 12
const maxAddresses = 32
const maxTargets = 32
/** More bytes than any parameter has: a step over what holds no addresses. */
const maxParameter = 65_536

/** The addresses in an answer: of its A and AAAA records and of the hints of HTTPS and SVCB records, in their order. */
export function addressesOf(answer: Uint8Array): string[] {
  const addresses: string[] = []
  const target = new Name()
  for (const { type, dataAt, dataEnd } of recordsOf(answer)) {
    if (addresses.length >= maxAddresses) break
    const size = dataEnd - dataAt
    if ((type === Type.a && size === 4) || (type === Type.aaaa && size === 16))
      addresses.push(addressText(answer.subarray(dataAt, dataEnd)))
    if (type !== Type.https && type !== Type.svcb) continue
    const after = readName(target, answer, 0, dataEnd, dataAt + 2)
    if (after >= 0) addresses.push(...hintsOf(answer, after, dataEnd))
  }
  return addresses.slice(0, maxAddresses)
}

/** The number of records in an answer, as its header says. */
export const countOf = (answer: Uint8Array): number => (answer[6]! << 8) | answer[7]!

/** The records of an answer, one after the other in the same reader. */
function* recordsOf(answer: Uint8Array): Generator<RecordReader> {
  const start = skipName(answer, headerBytes, answer.length)
  if (start < 0) return
  const record = new RecordReader()
  record.open(answer, answer.length, start + 4)
  for (let left = countOf(answer); left > 0 && record.next(); left--) yield record
}

function hintsOf(answer: Uint8Array, from: number, to: number): string[] {
  const hints: string[] = []
  for (let at = from; at + 4 <= to;) {
    const key = (answer[at]! << 8) | answer[at + 1]!
    const end = Math.min(to, at + 4 + ((answer[at + 2]! << 8) | answer[at + 3]!))
    const size = key === 4 ? 4 : key === 6 ? 16 : maxParameter
    for (let hint = at + 4; hint + size <= end; hint += size)
      hints.push(addressText(answer.subarray(hint, hint + size)))
    at = end
  }
  return hints
}

function addressText(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.')
  const groups = Array.from({ length: 8 }, (_, k) => ((bytes[2 * k]! << 8) | bytes[2 * k + 1]!).toString(16))
  return new URL(`http://[${groups.join(':')}]/`).hostname.slice(1, -1)
}

/** The targets of the CNAME records in an answer, in their order, without final dots. */
export function cnamesOf(answer: Uint8Array): string[] {
  const targets: string[] = []
  const name = new Name()
  for (const { type, dataAt } of recordsOf(answer)) {
    if (targets.length >= maxTargets) break
    if (type === Type.cname && readName(name, answer, 0, answer.length, dataAt) > 0) targets.push(textOf(name))
  }
  return targets
}

const recursionDesired = 1

/** A query for a domain (empty or `.`: the root) and a type, class IN, with an id drawn at random. Undefined for no domain name. */
export function queryFor(domain: string, type: number): Uint8Array | undefined {
  const name = domain === '' || domain === '.' ? new Uint8Array(1) : wireName(domain)
  if (name === undefined) return undefined
  const query = new Uint8Array(headerBytes + name.length + 4)
  crypto.getRandomValues(query.subarray(0, 2))
  query[2] = recursionDesired
  query[5] = 1
  query.set(name, headerBytes)
  query.set([type >> 8, type & 255, 0, 1], headerBytes + name.length)
  return query
}
