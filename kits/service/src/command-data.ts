import { withDataDirectory } from '@hearth/runtime'
import type { Command } from 'commander'
import type { BackupSubject } from './backup-commands.ts'
import { locationOf, openScratch } from './backups/sealed-source.ts'
import { currentKey, type DatabaseDescription, type SealedStorage, type StorageLocation } from './sealed-storage.ts'

/** A service's data as its commands open it. */
export interface CommandData<Storage, Config> {
  /** Reads the settings and checks what they name. Makes nothing. */
  readonly readConfig: () => Config
  readonly openStorage: (config: Config) => Promise<Storage>
  /** Prepares a fresh database, so that commands work before the first start. */
  readonly prepare?: (storage: Storage, config: Config) => Promise<unknown>
}

/**
 * Makes a service's `withStorage`: it opens the database for one command, whether or not the service runs, does the work and
 * closes it again.
 */
export function storageForCommands<
  Storage extends { readonly database: { close(): Promise<void> } },
  Config extends { readonly dataDirectory: string },
>({ readConfig, openStorage, prepare }: CommandData<Storage, Config>) {
  return async function withStorage<T>(work: (storage: Storage & { config: Config }) => Promise<T>): Promise<T> {
    const config = readConfig()
    const storage = await withDataDirectory(config.dataDirectory, () => openStorage(config))
    try {
      await prepare?.(storage, config)
      return await work({ ...storage, config })
    } finally {
      await storage.database.close()
    }
  }
}

/** Describes a sealed database for `addBackupCommands`. */
export function sealedBackup<Tables, Config extends StorageLocation>(
  about: DatabaseDescription,
  { readConfig, openStorage }: CommandData<SealedStorage<Tables>, Config>,
): BackupSubject<Tables> {
  return {
    ...about,
    dataDirectory: () => Promise.resolve(readConfig().dataDirectory),
    currentKey: () => currentKey(readConfig()),
    open: () => openStorage(readConfig()),
    openScratch,
    async openIn(folder) {
      const { openDatabase } = await import('@hearth/database')
      return openDatabase<Tables>(locationOf(about, { databaseUrl: undefined, dataDirectory: folder }))
    },
    isEmbedded: () => readConfig().databaseUrl === undefined,
  }
}

/** Adds `serve`. The service is loaded when it runs, so that the other commands start fast. */
export function addServeCommand(program: Command, serve: () => Promise<void>): void {
  program.command('serve').description('run the service in the foreground').action(serve)
}
