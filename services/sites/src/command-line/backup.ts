import { addBackupCommands as addCommands, presentKeyCheck } from '@hearth/storage'
import type { Command } from 'commander'
import { checkPlaces } from '../check-places.ts'
import { readConfig, type Config } from '../config.ts'
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
    place: () => Promise.resolve(readChecked().dataDirectory),
    presentKeyCheck: () => presentKeyCheck(readChecked()),
    async open() {
      const { database, sealer, fileCipher } = await openStorage(readConfig(process.env))
      return { database, fileCipher, keyCheck: sealer.keyCheck }
    },
  })
}

function readChecked(): Config {
  const config = readConfig(process.env)
  checkPlaces(config)
  return config
}
