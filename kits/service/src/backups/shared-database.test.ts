import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createFileCipher } from '@hearth/credentials'
import { migrate, openDatabase, type Migrations } from '@hearth/database'
import { createLog, systemTimers } from '@hearth/runtime'
import { createPostgresDatabase, postgresObstacle } from '@hearth/testing'
import type { Kysely } from 'kysely'
import { Backups } from './backups.ts'

interface Tables {
  pets: { id: number; weight: number }
}

const migrations: Migrations = {
  '0001-initial': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('pets')
        .addColumn('id', 'bigint', (column) => column.primaryKey())
        .addColumn('weight', 'double precision')
        .execute()
    },
  },
}

test('of two processes on one PostgreSQL database one makes the backup', { skip: postgresObstacle() }, async () => {
  const url = await createPostgresDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'hearth-shared-'))
  const database = openDatabase<Tables>({ url })
  await migrate(database.query, migrations)
  for (const id of [3, 1, 2])
    await database.query
      .insertInto('pets')
      .values({ id, weight: id / 3 })
      .execute()
  const directory = join(folder, 'backups')
  const open = (sizeBytes: () => Promise<number>) =>
    new Backups<Tables>({
      source: {
        service: 'pets',
        migrations,
        tables: ['pets'],
        fileCipher: createFileCipher(randomBytes(32)),
        keyCheck: 'k',
        openReader: () => Promise.resolve(openDatabase<Tables>({ url })),
        openScratch: (scratch) => Promise.resolve(openDatabase<Tables>({ file: join(scratch, 'scratch.db') })),
        sizeBytes,
      },
      policy: { directory, everyMs: 86_400_000, keep: { days: 1, weeks: 0, months: 0 } },
      dataDirectory: folder,
      log: createLog({ name: 'test', level: 'silent' }),
      timers: systemTimers,
    })
  const other = open(() => Promise.reject(new Error('the other must not come this far')))
  let outcomeOfOther: unknown = 'not tried'
  // The first has the lock when it asks for the size.
  const first = open(async () => {
    outcomeOfOther = await other.run()
    return 1
  })
  try {
    const attempt = await first.run()
    assert.deepEqual([attempt?.error, attempt?.rows, outcomeOfOther], [null, 3, undefined])
    assert.equal((await readdir(directory)).length, 1)
  } finally {
    await database.close()
    await rm(folder, { recursive: true })
  }
})
