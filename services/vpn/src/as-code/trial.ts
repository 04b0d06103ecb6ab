import { migrate, openDatabase } from '@hearth/database'
import { migrations } from '../database/migrations/index.ts'
import type { HostLinks } from '../interfaces/host-links.ts'
import { interfaceRowsOn } from '../interfaces/store.ts'
import type { Tables } from '../tables.ts'
import type { Trial } from './as-code.ts'
import { type OfflineDependencies, openOfflineParts } from './offline-parts.ts'
import { copyWantedState } from './store.ts'

/** Copies the wanted state into memory, where an apply can be tried: with the checks of the real one, and without its effects. */
export async function openTrial(dependencies: OfflineDependencies): Promise<Trial> {
  const scratch = openDatabase<Tables>({ file: ':memory:', isTemporary: true })
  try {
    await migrate(scratch.query, migrations)
    await copyWantedState(dependencies.database.query, scratch.query)
    const rows = await interfaceRowsOn(scratch.query, null)
    const host = hostWithout(dependencies.host, rows)
    const offline = await openOfflineParts({ ...dependencies, database: scratch, host })
    return {
      parts: offline.parts,
      async [Symbol.asyncDispose]() {
        await offline[Symbol.asyncDispose]()
        await scratch.close()
      },
    }
  } catch (error) {
    await scratch.close()
    throw error
  }
}

/** The host as it is without the interfaces of the service, whose names and ports are checked in the database. */
function hostWithout(
  host: HostLinks,
  own: readonly { readonly name: string; readonly listen_port: number }[],
): HostLinks {
  const names = new Set(own.map(({ name }) => name))
  const ports = new Set(own.map((each) => each.listen_port))
  return {
    ...host,
    isTaken: async (name) => !names.has(name) && (await host.isTaken(name)),
    isPortFree: async (port) => ports.has(port) || (await host.isPortFree(port)),
  }
}
