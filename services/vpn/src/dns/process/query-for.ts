import { wireName } from '../wire/wire-name.ts'

const headerBytes = 12
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
