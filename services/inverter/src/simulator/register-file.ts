import type { Catalog, CatalogObject } from '../catalog/catalog.ts'
import { decodeValue, encodeValue, type WireValue } from '../protocol/wire-value.ts'
import { binaryPayload } from './binary-payloads.ts'
import { factoryValue } from './factory-values.ts'

/** Texts are padded to this length, bytes. */
const textLength = 32

/** The objects of one simulated inverter and what they hold, in the units of the wire. */
export class RegisterFile {
  readonly #catalog: Catalog
  readonly #values = new Map<string, WireValue>()
  readonly #written = new Set<string>()
  readonly #seed: number

  constructor(catalog: Catalog, options: { seed: number; now: number }) {
    this.#catalog = catalog
    this.#seed = options.seed
    for (const object of catalog.objects) this.#values.set(object.name, factoryValue(object, options))
  }

  get(name: string): WireValue {
    const value = this.#values.get(name)
    if (value === undefined) throw new RangeError(`the inverter has no ${name}`)
    return value
  }

  /** Sets a value as the inverter itself would. */
  set(name: string, value: WireValue): void {
    this.get(name)
    this.#values.set(name, value)
  }

  /** The bytes an answer carries. */
  payload(objectId: number): Uint8Array | undefined {
    const object = this.#catalog.byId(objectId)
    if (object === undefined) return undefined
    return binaryPayload(object, this.#seed) ?? this.#encoded(object)
  }

  /** Takes a value that a client wrote; false when the object is unknown or the bytes do not fit its type. */
  write(objectId: number, payload: Uint8Array): boolean {
    const object = this.#catalog.byId(objectId)
    if (object === undefined) return false
    try {
      this.#values.set(object.name, decodeValue(object.type, payload))
      this.#written.add(object.name)
      return true
    } catch {
      return false
    }
  }

  /** Writable settings that a client changed, by metric name. */
  snapshot(): Record<string, WireValue> {
    return Object.fromEntries([...this.#written].sort().map((name) => [name, this.get(name)]))
  }

  restore(values: Readonly<Record<string, WireValue>>): void {
    for (const [name, value] of Object.entries(values)) {
      if (!this.#values.has(name)) continue
      this.#values.set(name, value)
      this.#written.add(name)
    }
  }

  #encoded(object: CatalogObject): Uint8Array {
    const value = this.get(object.name)
    const bytes = encodeValue(object.type, value, object.width === undefined ? {} : { width: object.width })
    if (object.type !== 'string' || bytes.length >= textLength) return bytes
    const padded = new Uint8Array(textLength)
    padded.set(bytes)
    return padded
  }
}
