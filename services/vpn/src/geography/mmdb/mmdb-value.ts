/** A database that is not what its format says. */
export class MmdbError extends Error {
  override readonly name = 'MmdbError'
}

/** A value of a database, as far as it is used here: 128-bit numbers and bytes are left out. */
export type MmdbValue = string | number | boolean | null | readonly MmdbValue[] | { readonly [name: string]: MmdbValue }

/** The part of a file that values lie in, from `begin` to `end`; pointers count from `begin`. */
export interface MmdbSection {
  readonly bytes: Buffer
  readonly begin: number
  readonly end: number
}

/**
 * Values one record may consist of, and how deep they may lie in one another. Real records have a few hundred at depth 5. The
 * format lets a file of a few bytes describe endless or exponentially large records; here they end as an error.
 */
const maxValues = 4000
const maxDepth = 24
const maxTextLength = 65_536

/** First value of the extended pointers of each size; MaxMind DB format 2.0, "Pointer - 1". */
const pointerBases = [0, 2048, 526_336, 0]

const type = { pointer: 1, text: 2, double: 3, bytes: 4, uint16: 5, uint32: 6, map: 7, int32: 8, uint64: 9 } as const
const extended = { uint128: 10, array: 11, boolean: 14, float: 15 } as const

/** Reads the value at an offset of the section. Throws an `MmdbError` for what is cut short, unknown, cyclic or too large. */
export function readMmdbValue(section: MmdbSection, offset: number): MmdbValue {
  try {
    return new ValueReader(section, section.begin + offset).value(0)
  } catch (error) {
    if (error instanceof MmdbError) throw error
    throw new MmdbError('the database is damaged', { cause: error })
  }
}

class ValueReader {
  readonly #section: MmdbSection
  #at: number
  #left = maxValues

  constructor(section: MmdbSection, at: number) {
    this.#section = section
    this.#at = at
  }

  value(depth: number): MmdbValue {
    this.#left -= 1
    if (this.#left < 0 || depth > maxDepth) throw new MmdbError('the database holds a record that has no end')
    const control = this.#take(1)
    const kind = control >> 5
    if (kind === type.pointer) return this.#pointed(control, depth)
    const actual = kind === 0 ? this.#take(1) + 7 : kind
    return this.#content(actual, this.#size(control), depth)
  }

  #content(kind: number, size: number, depth: number): MmdbValue {
    if (kind === type.map) return this.#map(size, depth)
    if (kind === extended.array) return this.#array(size, depth)
    if (kind === extended.boolean) return size !== 0
    const from = this.#skip(size)
    const { bytes } = this.#section
    switch (kind) {
      case type.text:
        if (size > maxTextLength) throw new MmdbError('the database holds an endless text')
        return bytes.toString('utf8', from, from + size)
      case type.double:
        return bytes.readDoubleBE(from)
      case extended.float:
        return bytes.readFloatBE(from)
      case type.uint16:
      case type.uint32:
      case type.uint64:
        return size <= 6 ? (size === 0 ? 0 : bytes.readUIntBE(from, size)) : Number(bytes.readBigUInt64BE(from))
      case type.int32:
        return size < 4 ? (size === 0 ? 0 : bytes.readUIntBE(from, size)) : bytes.readInt32BE(from)
      case type.bytes:
      case extended.uint128:
        return null
      default:
        throw new MmdbError('the database holds a value of a kind that is not known')
    }
  }

  #map(size: number, depth: number): MmdbValue {
    const members: [string, MmdbValue][] = []
    for (let index = 0; index < size; index += 1) {
      const name = this.value(depth + 1)
      if (typeof name !== 'string') throw new MmdbError('the database holds a member without a name')
      members.push([name, this.value(depth + 1)])
    }
    // Its own object names only: `__proto__` is a name like any other.
    return Object.fromEntries(members)
  }

  #array(size: number, depth: number): MmdbValue {
    const items: MmdbValue[] = []
    for (let index = 0; index < size; index += 1) items.push(this.value(depth + 1))
    return items
  }

  #pointed(control: number, depth: number): MmdbValue {
    const size = (control >> 3) & 3
    const high = size === 3 ? 0 : control & 7
    const offset = high * 256 ** (size + 1) + this.#take(size + 1) + (pointerBases[size] ?? 0)
    const back = this.#at
    this.#at = this.#section.begin + offset
    const value = this.value(depth + 1)
    this.#at = back
    return value
  }

  /** The size of what follows; one, two or three bytes more hold it when it is above 28. */
  #size(control: number): number {
    const size = control & 31
    if (size < 29) return size
    if (size === 29) return 29 + this.#take(1)
    return size === 30 ? 285 + this.#take(2) : 65_821 + this.#take(3)
  }

  #take(count: number): number {
    return this.#section.bytes.readUIntBE(this.#skip(count), count)
  }

  #skip(count: number): number {
    const from = this.#at
    this.#at += count
    if (this.#at > this.#section.end) throw new MmdbError('the database is cut short')
    return from
  }
}
