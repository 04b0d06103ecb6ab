import { readDump, readDumpHeader, writeDump } from '@hearth/database'
import { lockDataDirectory, openDataDirectory, OperatorError } from '@hearth/runtime'
import type { Command } from 'commander'
import { readConfig } from '../config.ts'
import { migrations, schemaVersion } from '../database/migrations/index.ts'
import { openStorage } from '../database/open.ts'
import { tableNames } from '../database/tables.ts'
import { withStorage } from './open-data.ts'

/** `backup` and `restore`: the whole database in one file that fits SQLite and PostgreSQL alike,. */
export function addBackupCommands(program: Command): void {
  program
    .command('backup')
    .description('write everything the service keeps into FILE; the service may go on running')
    .argument('<file>')
    .action(backup)
  program
    .command('restore')
    .description('replace everything by the content of FILE; the service must not run, and the key must be the same')
    .argument('<file>')
    .action(restore)
}

async function backup(file: string): Promise<void> {
  await withStorage(async ({ database, sealer, fileCipher }) => {
    const header = {
      format: 'hearth-backup-1',
      service: 'media',
      schema: schemaVersion,
      created_at: new Date().toISOString(),
      key_check: sealer.keyCheck,
    } as const
    await writeDump(database, file, { tables: tableNames, header, cipher: fileCipher })
    process.stderr.write(`wrote ${file}; keep the secret key apart from it; one is of no use without the other\n`)
  })
}

async function restore(file: string): Promise<void> {
  const header = await readDumpHeader(file)
  if (header.service !== 'media') throw new OperatorError(`${file} is a backup of ${header.service}, not of vpn`)
  if (!(header.schema in migrations)) throw new OperatorError(`${file} was made by a newer version of Hearth`)
  const config = readConfig(process.env)
  openDataDirectory(config.dataDirectory)
  using _lock = lockDataDirectory(config.dataDirectory)
  const { database, sealer, fileCipher } = await openStorage(config)
  try {
    if (header.key_check !== sealer.keyCheck) throw new OperatorError(`${file} was made with another secret key`)
    const rows = await readDump(database, file, { tables: tableNames, cipher: fileCipher })
    process.stderr.write(`restored ${rows} rows from ${header.created_at}\n`)
  } finally {
    await database.close()
  }
}
