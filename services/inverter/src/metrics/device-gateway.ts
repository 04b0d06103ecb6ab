import type { Catalog, CatalogObject } from '../catalog/catalog.ts'
import type { DeviceIdentity } from './device-identity.ts'
import { Problem } from '../problems.ts'
import type { DeviceReader } from './device-reader.ts'
import type { DeviceWriter, WriteCause } from './device-writer.ts'

/** A device as dispatch needs it: fresh values and confirmed writes. */
export interface DeviceGateway {
  readonly deviceId: string
  /** Reads from the device, never the cache, in API units. `at` is in monotonic milliseconds. Throws a `Problem`. */
  readFresh(name: string): Promise<{ value: number | boolean | string; at: number }>
  /** Resolves when the firmware on the current connection is known and stored. Throws a `Problem`. */
  identify(): Promise<void>
  /** Writes a value and reads it back until both agree. Throws `write_outcome_unknown` or a problem of the device. */
  writeConfirmed(name: string, value: number | boolean, cause: WriteCause): Promise<number | boolean | string>
}

/**
 * Creates the gateway of one device. Its requests go before those of the API; its methods throw when the catalog lacks a
 * name.
 */
export function createDeviceGateway({
  deviceId,
  catalog,
  reader,
  writer,
  identity,
}: {
  deviceId: string
  catalog: Catalog
  reader: DeviceReader
  writer: DeviceWriter
  identity: Pick<DeviceIdentity, 'confirm'>
}): DeviceGateway {
  const objectOf = (name: string): CatalogObject => {
    const object = catalog.byName(name)
    if (object === undefined) throw new Error(`the catalog has no ${name}`)
    return object
  }
  return {
    deviceId,
    async readFresh(name) {
      const { value, at } = await reader.readDirect(objectOf(name), 'control')
      return { value: scalar(value, name), at }
    },
    async identify() {
      await identity.confirm('control')
    },
    async writeConfirmed(name, value, cause) {
      const object = objectOf(name)
      const oldValue = reader.cache.get(name)?.value ?? null
      const { readback } = await writer.write({ object, value, priority: 'control', oldValue, ...cause })
      return scalar(readback, name)
    },
  }
}

function scalar(value: unknown, name: string): number | boolean | string {
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string') return value
  throw new Problem('protocol_error', `${name} has no single value`)
}
