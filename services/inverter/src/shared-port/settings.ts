import type { Database } from '@hearth/database'
import type { Catalog } from '../catalog/catalog.ts'
import { invalid } from '../problems.ts'
import { readSetting, writeSetting } from '../settings/store.ts'
import type { Tables } from '../tables.ts'
import { SharedPortSettings } from './schema.ts'

/** Settings of the shared ports, in step with the database. */
export type SettingsStore = Awaited<ReturnType<typeof openSettingsStore>>

interface SettingsDependencies {
  readonly database: Database<Tables>
  readonly catalog: Catalog
  readonly isDevice: (id: string) => boolean
}

const setting = 'shared_port'

/** Before anything was set: off, and nobody may connect. */
const initial: SharedPortSettings = {
  enabled: false,
  bind_address: '0.0.0.0',
  inverters: [],
  clients: [],
  cache_seconds: 2,
}

/** Reads the settings; without stored ones no port is shared. */
export async function openSettingsStore({ database: { query }, catalog, isDevice }: SettingsDependencies) {
  const found = SharedPortSettings.safeParse(await readSetting(query, setting))
  let stored = found.success ? found.data : initial

  async function write(next: SharedPortSettings): Promise<void> {
    await writeSetting(query, setting, next)
    stored = next
  }

  return {
    current: (): SharedPortSettings => stored,
    /** Stores settings; throws a problem that names the member that is wrong. */
    async change(next: SharedPortSettings): Promise<void> {
      for (const [index, { device_id: id, port }] of next.inverters.entries()) {
        if (!isDevice(id)) throw invalid(`inverters.${index}.device_id`, `names the unknown inverter ${id}`)
        if (next.inverters.findIndex((other) => other.device_id === id) !== index)
          throw invalid(`inverters.${index}.device_id`, `names ${id} twice`)
        if (next.inverters.findIndex((other) => other.port === port) !== index)
          throw invalid(`inverters.${index}.port`, `${port} is the port of two inverters`)
      }
      for (const [index, { name, may_write: names }] of next.clients.entries()) {
        if (next.clients.findIndex((other) => other.name === name) !== index)
          throw invalid(`clients.${index}.name`, `${name} is there twice`)
        const refused = names.find((name) => !catalog.allowlist.has(name))
        if (refused !== undefined)
          throw invalid(`clients.${index}.may_write`, `names ${refused}, which the write allowlist does not have`)
      }
      await write(next)
    },
    /** Forgets the port of a device; returns false when it had none. */
    async forget(deviceId: string): Promise<boolean> {
      const inverters = stored.inverters.filter((one) => one.device_id !== deviceId)
      if (inverters.length === stored.inverters.length) return false
      await write({ ...stored, inverters })
      return true
    },
  }
}
