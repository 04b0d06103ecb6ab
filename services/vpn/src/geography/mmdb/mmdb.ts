import { isIP } from 'node:net'
import { Address6 } from 'ip-address'
import { MmdbError, type MmdbSection, type MmdbValue, readMmdbValue } from './mmdb-value.ts'

/** A database of facts about networks; the MaxMind DB file format, version 2.0. */
export interface Mmdb {
  /** Such as `GeoLite2-City`. */
  readonly type: string
  /** Time when it was made, seconds since the epoch. */
  readonly buildEpoch: number
  /** Returns the record of an address; undefined for none. Throws an `MmdbError` when the file is damaged there. */
  get(address: string): MmdbValue | undefined
}

const marker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')
/** The metadata stands in the last 128 KiB. */
const maxMetadata = 131_072
/** Zero bytes between the tree and the values. */
const gap = 16

interface Tree {
  readonly bytes: Buffer
  readonly nodes: number
  /** Bits of one of the two records of a node. */
  readonly recordBits: number
  readonly isIpv6: boolean
}

/**
 * Opens a database that lies in memory. Throws an `MmdbError` when it is none. Whatever the bytes are, neither this nor any
 * look-up takes more than a few thousand steps, which the readers in the registry do not promise.
 */
export function openMmdb(bytes: Buffer): Mmdb {
  const { metadata, end } = readMetadata(bytes)
  const tree: Tree = {
    bytes,
    nodes: numberOf(metadata, 'node_count'),
    recordBits: numberOf(metadata, 'record_size'),
    isIpv6: numberOf(metadata, 'ip_version') === 6,
  }
  if (numberOf(metadata, 'binary_format_major_version') !== 2 || ![24, 28, 32].includes(tree.recordBits))
    throw new MmdbError('the database has a format that is not known')
  const treeSize = (tree.nodes * tree.recordBits) / 4
  const section: MmdbSection = { bytes, begin: treeSize + gap, end }
  if (tree.nodes < 1 || section.begin > end) throw new MmdbError('the database is cut short')
  const ipv4Root = tree.isIpv6 ? walk(tree, 0, new Uint8Array(12)) : 0
  const type = metadata['database_type']
  return {
    type: typeof type === 'string' ? type.slice(0, 100) : '',
    buildEpoch: numberOf(metadata, 'build_epoch'),
    get(address) {
      const bits = bytesOfAddress(address)
      if (bits === undefined || (bits.length === 16 && !tree.isIpv6)) return undefined
      const record = walk(tree, bits.length === 4 ? ipv4Root : 0, bits)
      return record <= tree.nodes ? undefined : readMmdbValue(section, record - tree.nodes - gap)
    },
  }
}

function readMetadata(bytes: Buffer): { metadata: Record<string, MmdbValue>; end: number } {
  const from = Math.max(0, bytes.length - maxMetadata)
  const at = bytes.subarray(from).lastIndexOf(marker)
  if (at === -1) throw new MmdbError('the file is not a MaxMind database')
  const begin = from + at + marker.length
  const metadata = readMmdbValue({ bytes, begin, end: bytes.length }, 0)
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata))
    throw new MmdbError('the file is not a MaxMind database')
  return { metadata: metadata as Record<string, MmdbValue>, end: from + at }
}

function numberOf(metadata: Record<string, MmdbValue>, name: string): number {
  const value = metadata[name]
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw new MmdbError(`the database has no ${name}`)
  return value
}

/** Follows the bits of an address down the tree: the node it ends at, or a record above the number of nodes. */
function walk(tree: Tree, from: number, bits: Uint8Array): number {
  let node = from
  for (let bit = 0; bit < bits.length * 8 && node < tree.nodes; bit += 1) {
    const isRight = (((bits[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1) === 1
    node = recordOf(tree, node, isRight)
  }
  return node
}

/** A node of 28-bit records has the four highest bits of both in its middle byte. */
function recordOf({ bytes, recordBits }: Tree, node: number, isRight: boolean): number {
  const at = (node * recordBits) / 4
  if (recordBits === 24) return bytes.readUIntBE(at + (isRight ? 3 : 0), 3)
  if (recordBits === 32) return bytes.readUInt32BE(at + (isRight ? 4 : 0))
  const middle = bytes.readUInt8(at + 3)
  const high = isRight ? middle & 15 : middle >> 4
  return high * 0x1_00_00_00 + bytes.readUIntBE(at + (isRight ? 4 : 0), 3)
}

/** Four or sixteen bytes; an IPv4 address in IPv6 clothes counts as what it is. */
function bytesOfAddress(address: string): Uint8Array | undefined {
  const plain = address.replace(/%.*$/s, '')
  const family = isIP(plain)
  if (family === 0) return undefined
  if (family === 4) return Uint8Array.from(plain.split('.'), Number)
  const hex = new Address6(plain).bigInt().toString(16).padStart(32, '0')
  const bytes = Uint8Array.from(Buffer.from(hex, 'hex'))
  return hex.startsWith('00000000000000000000ffff') ? bytes.subarray(12) : bytes
}
