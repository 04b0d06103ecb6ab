import { createSealer, replaceSecretKey } from '@hearth/credentials'
import { lockDataDirectory, openDataDirectory, OperatorError } from '@hearth/runtime'
import { addBackupCommands as addCommands } from '@hearth/storage'
import type { Command } from 'commander'
import { readConfig } from '../config.ts'
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
    place: () => Promise.resolve(readConfig(process.env).dataDirectory),
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

async function rotateKey(): Promise<void> {
  const config = readConfig(process.env)
  if (config.secretKey !== undefined)
    throw new OperatorError('SECRET_KEY: only a key in a file can be replaced; unset it')
  openDataDirectory(config.dataDirectory)
  using _lock = lockDataDirectory(config.dataDirectory)
  const { database, sealer } = await openStorage(config)
  try {
    await replaceSecretKey(config.secretKeyFile, async (next) => {
      const count = await resealAll(database.query, sealer, createSealer(next))
      process.stderr.write(`sealed ${count} keys anew; make a backup now, older ones need the old key\n`)
    })
  } finally {
    await database.close()
  }
}
