import { createSealer, replaceSecretKey } from '@hearth/credentials'
import { claimDataDirectory, OperatorError } from '@hearth/runtime'
import type { Command } from 'commander'
import { openStorage } from '../database/open.ts'
import { resealAll } from '../database/rotate-key.ts'
import { data } from './data.ts'

/** Adds `rotate-key`. */
export function addRotateKeyCommand(program: Command): void {
  program
    .command('rotate-key')
    .description('seal everything with a new key; the service must not run, and older backups need the old key')
    .action(rotateKey)
}

async function rotateKey(): Promise<void> {
  const config = data.readConfig()
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
