import { randomInt } from 'node:crypto'
import { queryFor } from '../src/resolver/packets.ts'

/** Types of records the tests use. */
export const RecordType = { a: 1, ns: 2, cname: 5, txt: 16, aaaa: 28 } as const

/** A query for a name, with the EDNS payload size when there is to be an OPT record. */
export function makeQuery(name: string, type: number = RecordType.a, payload?: number): Uint8Array {
  const query = queryFor(name, type)
  if (query === undefined) throw new Error(`${name} is no domain name`)
  const id = randomInt(65_536)
  query[0] = id >> 8
  query[1] = id
  if (payload === undefined) return query
  query[11] = 1
  return Uint8Array.from([...query, 0, 0, 41, payload >> 8, payload & 255, 0, 0, 0, 0, 0, 0])
}

/** A record of an answer; without a name it is of the asked name. */
export interface TestRecord {
  readonly name?: string
  readonly type: number
  readonly ttl?: number
  readonly data: readonly number[]
}

/** An A record of an IPv4 address. */
export const addressRecord = (address: string, ttl = 300): TestRecord => ({
  type: RecordType.a,
  ttl,
  data: address.split('.').map(Number),
})

/** A CNAME record that points to a name. */
export const aliasRecord = (target: string, name?: string): TestRecord => ({
  ...(name === undefined ? {} : { name }),
  type: RecordType.cname,
  data: wire(target),
})

/** A TXT record of so many bytes. */
export const longRecord = (bytes: number): TestRecord => {
  const data: number[] = []
  for (let left = bytes; left > 0; left -= 256)
    data.push(Math.min(255, left - 1), ...new Uint8Array(Math.min(255, left - 1)).fill(120))
  return { type: RecordType.txt, data }
}

/** The bytes of a name. */
export const wire = (name: string): number[] => [
  ...name
    .split('.')
    .filter(Boolean)
    .flatMap((label) => [label.length, Array.from(Buffer.from(label))].flat()),
  0,
]

/** Offset at which a query's question ends. */
export function questionEnd(query: Uint8Array): number {
  let at = 12
  while (query[at] !== 0) at += query[at]! + 1
  return at + 5
}

/** The name a query asks for, in the case it has there. */
export function nameOf(query: Uint8Array): string {
  const labels: string[] = []
  for (let at = 12; query[at] !== 0; at += query[at]! + 1) {
    labels.push(Buffer.from(query.subarray(at + 1, at + 1 + query[at]!)).toString('latin1'))
  }
  return labels.join('.')
}

/** The type a query asks for. */
export const typeOf = (query: Uint8Array): number => {
  const end = questionEnd(query)
  return (query[end - 4]! << 8) | query[end - 3]!
}

const words16 = (...words: readonly number[]): number[] => words.flatMap((word) => [word >> 8, word & 255])

/** An answer to a query: its id and question, these records, this response code. */
export function makeAnswer(
  query: Uint8Array,
  records: readonly TestRecord[],
  { rcode = 0, isTruncated = false }: { rcode?: number; isTruncated?: boolean } = {},
): Uint8Array {
  const end = questionEnd(query)
  const head = Uint8Array.from(query.subarray(0, end))
  head[2] = 0x80 | (query[2]! & 1) | (isTruncated ? 2 : 0)
  head[3] = 0x80 | rcode
  head.fill(0, 6, 12)
  head[6] = records.length >> 8
  head[7] = records.length
  const body = records.flatMap(({ name, type, ttl = 300, data }) => [
    ...(name === undefined ? [0xc0, 12] : wire(name)),
    ...words16(type, 1, ttl >>> 16, ttl & 0xffff, data.length),
    ...data,
  ])
  return Uint8Array.from([...head, ...body])
}

/** Content of an answer. */
export interface ReadAnswer {
  readonly rcode: number
  readonly isTruncated: boolean
  /** IPv4 addresses in it, and how many records of other types. */
  readonly addresses: readonly string[]
  readonly records: number
  readonly length: number
}

/** Reads an answer as far as the tests need it. */
export function readAnswer(answer: Uint8Array): ReadAnswer {
  const addresses: string[] = []
  const count = (answer[6]! << 8) | answer[7]!
  let at = questionEnd(answer)
  for (let n = 0; n < count; n++) {
    while (answer[at]! !== 0 && answer[at]! < 192) at += answer[at]! + 1
    at += answer[at]! >= 192 ? 2 : 1
    const length = (answer[at + 8]! << 8) | answer[at + 9]!
    if (answer[at + 1] === 1 && length === 4) addresses.push(answer.subarray(at + 10, at + 14).join('.'))
    at += 10 + length
  }
  return {
    rcode: answer[3]! & 15,
    isTruncated: (answer[2]! & 2) !== 0,
    addresses,
    records: count,
    length: answer.length,
  }
}
