import { createSealer, replaceSecretKey } from '@hearth/credentials'
import { claimDataDirectory, OperatorError } from '@hearth/runtime'
import { addBackupCommands as addCommands, presentKeyCheck } from '@hearth/storage'
import type { Command } from 'commander'
import { checkPlaces } from '../check-places.ts'
import { readConfig, type Config } from '../config.ts'
import { migrations } from '../database/migrations/index.ts'
import { openStorage } from '../database/open.ts'
import { resealAll } from '../database/rotate-key.ts'
import { tableNames } from '../database/tables.ts'

/** `backup`, `restore` and `rotate-key`. */
export function addBackupCommands(program: Command): void {
  addCommands(program, {
    service: 'vpn',
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
  program
    .command('rotate-key')
    .description('seal everything with a new key; the service must not run, and older backups need the old key')
    .action(rotateKey)
}

function readChecked(): Config {
  const config = readConfig(process.env)
  checkPlaces(config)
  return config
}

async function rotateKey(): Promise<void> {
  const config = readChecked()
  if (config.secretKey !== undefined)
    throw new OperatorError('SECRET_KEY: only a key in a file can be replaced; unset it')
  using claim = claimDataDirectory(config.dataDirectory)
  const { database, sealer } = await openStorage(config)
  claim.keep()
  try {
    await replaceSecretKey(config.secretKeyFile, async (next) => {
      const count = await resealAll(database.query, sealer, createSealer(next))
      process.stderr.write(`sealed ${count} keys anew; make a backup now, older ones need the old key\n`)
    })
  } finally {
    await database.close()
  }
}
