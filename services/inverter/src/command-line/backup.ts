import { readDump, readDumpHeader, writeDump, type Database } from '@hearth/database'
import { lockDataDirectory, openDataDirectory, OperatorError } from '@hearth/runtime'
import type { Command } from 'commander'
import { readConfig } from '../config.ts'
import { migrations, schemaVersion } from '../database/migrations/index.ts'
import { openStorage } from '../database/open.ts'
import { findSecret } from '../database/secret.ts'
import { backupTableNames, type Tables } from '../database/tables.ts'
import { forgetPassword } from '../accounts/first-password.ts'
import { withStorage } from './open-data.ts'

/** `backup` and `restore`: the whole database in one encrypted file. */
export function addBackupCommands(program: Command): void {
  program
    .command('backup')
    .description('write everything the service keeps into FILE; the service may go on running')
    .argument('<file>')
    .action(backup)
  program
    .command('restore')
    .description(
      'replace everything by the content of FILE; the service must not run, and HMAC_SECRET must be the same',
    )
    .argument('<file>')
    .action(restore)
}

async function backup(file: string): Promise<void> {
  await withStorage(async ({ database, fileCipher, keyCheck }) => {
    const header = {
      format: 'hearth-backup-1',
      service: 'inverter',
      schema: schemaVersion,
      created_at: new Date().toISOString(),
      key_check: keyCheck,
    } as const
    await writeDump(database, file, { tables: backupTableNames, header, cipher: fileCipher })
    process.stderr.write(`wrote ${file}; keep HMAC_SECRET apart from it; one is of no use without the other\n`)
  })
}

async function restore(file: string): Promise<void> {
  const header = await readDumpHeader(file)
  if (header.service !== 'inverter')
    throw new OperatorError(`${file} is a backup of ${header.service}, not of inverter`)
  if (!(header.schema in migrations)) throw new OperatorError(`${file} was made by a newer version of Hearth`)
  const config = readConfig(process.env)
  await findSecret(config)
  openDataDirectory(config.dataDirectory)
  using _lock = lockDataDirectory(config.dataDirectory)
  const { database, fileCipher, keyCheck } = await openStorage(config)
  try {
    if (header.key_check !== keyCheck) throw new OperatorError(`${file} was made with another HMAC_SECRET`)
    await refuseUnfinished(database)
    const rows = await readDump(database, file, { tables: backupTableNames, cipher: fileCipher })
    // It told the password of the administrator who is replaced.
    await forgetPassword(config.dataDirectory)
    process.stderr.write(`restored ${rows} rows from ${header.created_at}\n`)
  } finally {
    await database.close()
  }
}

/** What was there before a dispatch is known here only: it must be put back on the inverter first. */
async function refuseUnfinished({ query }: Database<Tables>): Promise<void> {
  const rows = await query.selectFrom('dispatch_records').select('device_id').where('state', '!=', 'idle').execute()
  const [first] = rows
  if (first !== undefined)
    throw new OperatorError(
      `a dispatch of ${first.device_id} is not finished: start the service until it is, or use forget-dispatch --device ${first.device_id} --force`,
    )
}
