import assert from 'node:assert/strict'
import { mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readDumpHeader, type Migrations } from '@hearth/database'
import { OperatorError } from '@hearth/runtime'
import { createPostgresDatabase, postgresObstacle } from '@hearth/testing'
import { sql, type Kysely } from 'kysely'
import { openSealedStorage, type DatabaseDescription, type StorageLocation } from '../sealed-storage.ts'
import { findRestorable } from './upgrade-backup.ts'

interface Tables {
  facts: { name: string; value: string }
}

/** A step that makes a table. */
const step = (table: string): Migrations[string] => ({
  async up(db: Kysely<unknown>) {
    await sql`create table ${sql.table(table)} (name text primary key, value text)`.execute(db)
  },
})

const steps: Migrations = { '0001-facts': step('facts'), '0002-pets': step('pets'), '0003-owners': step('owners') }

/** The service at the version with so many steps. */
const versionOf = (count: number, migrations = steps): DatabaseDescription => ({
  service: 'pets',
  migrations: Object.fromEntries(Object.entries(migrations).slice(0, count)),
  tables: ['facts', 'pets', 'owners'].slice(0, count),
})

async function openPlace() {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-upgrade-'))
  const told: string[] = []
  const location: StorageLocation = {
    dataDirectory: folder,
    databaseUrl: undefined,
    secretKey: undefined,
    secretKeyFile: join(folder, 'secret.key'),
    backups: { directory: undefined },
    warn: (message) => told.push(`warning: ${message}`),
    inform: (message) => told.push(message),
  }
  const start = async (about: DatabaseDescription, more: Partial<StorageLocation> = {}) =>
    (await openSealedStorage<Tables>(about, { ...location, ...more })).database.close()
  const names = (directory = 'backups') => readdir(join(folder, directory)).catch(() => [])
  return { folder, told, start, names, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
}

test('a fresh database and one of the same version are opened without a backup', async () => {
  await using place = await openPlace()
  await place.start(versionOf(2))
  await place.start(versionOf(2))
  assert.deepEqual([await place.names(), place.told], [[], []])
})

test('an older database is backed up before it is upgraded, and the log says where', async () => {
  await using place = await openPlace()
  await place.start(versionOf(1))
  await place.start(versionOf(3))
  const [name = '', ...others] = await place.names()
  assert.match(name, /^pets-\d{8}T\d{6}Z-before-upgrade\.hearth-backup$/)
  assert.deepEqual(others, [])
  const file = join(place.folder, 'backups', name)
  assert.deepEqual(place.told, [`the database is upgraded from 0001-facts; the backup from before is ${file}`])
  assert.equal((await findRestorable('pets', versionOf(1).migrations, asLocation(place)))?.path, file)
})

const asLocation = ({ folder }: { folder: string }) => ({ dataDirectory: folder, backupDirectory: undefined })

test('the backup goes to BACKUP_DIR, and into the data directory when that cannot be used', async () => {
  await using place = await openPlace()
  await place.start(versionOf(1))
  await place.start(versionOf(2), { backups: { directory: join(place.folder, 'elsewhere') } })
  assert.deepEqual([(await place.names('elsewhere')).length, await place.names()], [1, []])
  await writeFile(join(place.folder, 'file'), '')
  await place.start(versionOf(3), { backups: { directory: join(place.folder, 'file', 'below') } })
  assert.equal((await place.names()).length, 1)
  assert.match(place.told.join('\n'), /^warning: no backup could be made in .*below: .*ENOTDIR/m)
})

test('without a backup nothing is upgraded', async () => {
  await using place = await openPlace()
  await place.start(versionOf(1))
  await writeFile(join(place.folder, 'backups'), '')
  await assert.rejects(place.start(versionOf(2)), (error: Error) => {
    assert.ok(error instanceof OperatorError)
    assert.match(error.message, /must be upgraded from 0001-facts, and no backup could be made first/)
    return true
  })
  await place.start(versionOf(1))
})

test('a step that fails leaves the older database, and its backups do not pile up', async () => {
  await using place = await openPlace()
  await place.start(versionOf(1))
  const broken = {
    ...steps,
    '0003-owners': {
      async up(db: Kysely<unknown>) {
        await sql`create table owners (name text)`.execute(db)
        throw new Error('disk is full')
      },
    },
  }
  for (let attempt = 0; attempt < 3; attempt += 1) {
    await assert.rejects(place.start(versionOf(3, broken)), /disk is full/)
    // Names have seconds; the ones before are from before.
    const [name = ''] = await place.names()
    const directory = join(place.folder, 'backups')
    await rename(join(directory, name), join(directory, `pets-2026010${attempt}T000000Z-before-upgrade.hearth-backup`))
  }
  assert.equal((await place.names()).length, 1)
  await place.start(versionOf(1))
})

test('a newer database is refused with the newest backup that can be restored, and the command', async () => {
  await using place = await openPlace()
  await place.start(versionOf(1))
  await place.start(versionOf(2))
  await place.start(versionOf(3))
  const [first, second] = await backupsBySchema(place.folder)
  await assert.rejects(place.start(versionOf(1)), (error: Error) => {
    assert.ok(error instanceof OperatorError)
    assert.match(error.message, /newer version of Hearth, see 0002-pets, 0003-owners\./)
    assert.ok(error.message.endsWith(`hearth pets restore ${first}`), error.message)
    return true
  })
  await assert.rejects(place.start(versionOf(2)), (error: Error) => error.message.endsWith(`pets restore ${second}`))
  await rm(join(place.folder, 'backups'), { recursive: true })
  await assert.rejects(place.start(versionOf(1)), /no backup that this version can restore/)
})

/** Paths of the backups, the oldest tables first. */
async function backupsBySchema(folder: string): Promise<string[]> {
  const paths = (await readdir(join(folder, 'backups'))).map((name) => join(folder, 'backups', name))
  const found = await Promise.all(paths.map(async (path) => ({ path, schema: (await readDumpHeader(path)).schema })))
  return found.toSorted((a, b) => (a.schema < b.schema ? -1 : 1)).map(({ path }) => path)
}

test('of two processes that start together on PostgreSQL one upgrades', { skip: postgresObstacle() }, async () => {
  await using place = await openPlace()
  const shared = { databaseUrl: await createPostgresDatabase() }
  await place.start(versionOf(1), shared)
  await Promise.all([place.start(versionOf(3), shared), place.start(versionOf(3), shared)])
  assert.equal((await place.names()).length, 1)
  await assert.rejects(place.start(versionOf(1), shared), /DATABASE_URL: .* set DATABASE_URL to an empty database and /)
})
