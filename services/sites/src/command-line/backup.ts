import { addBackupCommands as addCommands } from '@hearth/storage'
import type { Command } from 'commander'
import { readConfig } from '../config.ts'
import { migrations } from '../database/migrations/index.ts'
import { openStorage } from '../database/open.ts'
import { tableNames } from '../database/tables.ts'

/** `backup` and `restore`. */
export function addBackupCommands(program: Command): void {
  addCommands(program, {
    service: 'sites',
    keyName: 'the secret key',
    migrations,
    tables: tableNames,
    place: () => Promise.resolve(readConfig(process.env).dataDirectory),
    async open() {
      const { database, sealer, fileCipher } = await openStorage(readConfig(process.env))
      return { database, fileCipher, keyCheck: sealer.keyCheck }
    },
  })
}
