import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createFileCipher } from '@hearth/credentials'
import { migrate, openDatabase, readDump, type Migrations } from '@hearth/database'
import { createFastTimers, createLog } from '@hearth/runtime'
import { sql, type Kysely } from 'kysely'
import { Backups, type BackupDependencies } from './backups.ts'

interface Tables {
  pets: { id: number; name: string }
}

const migrations: Migrations = {
  '0001-initial': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('pets')
        .addColumn('id', 'integer', (column) => column.primaryKey())
        .addColumn('name', 'text')
        .execute()
    },
  },
}

const day = 86_400_000
const noon = Date.parse('2026-03-01T12:00:00Z')

/** A service's database of three rows, and its backups in time that passes fast. */
async function openPlace(more: Partial<BackupDependencies<Tables>['policy']> = {}, factor = 1) {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-backups-'))
  const directory = join(folder, 'backups')
  const file = join(folder, 'pets.db')
  const database = openDatabase<Tables>({ file })
  await migrate(database.query, migrations)
  for (const id of [1, 2, 3])
    await database.query
      .insertInto('pets')
      .values({ id, name: `pet ${id}` })
      .execute()
  const timers = createFastTimers(factor, noon)
  const cipher = createFileCipher(randomBytes(32))
  const dependencies: BackupDependencies<Tables> = {
    source: {
      service: 'pets',
      migrations,
      tables: ['pets'],
      fileCipher: cipher,
      keyCheck: 'k',
      openReader: () => Promise.resolve(openDatabase<Tables>({ file })),
      openScratch: (scratch) => Promise.resolve(openDatabase<Tables>({ file: join(scratch, 'scratch.db') })),
      sizeBytes: () => Promise.resolve(1),
    },
    policy: { directory, everyMs: day, keep: { days: 2, weeks: 0, months: 0 }, ...more },
    dataDirectory: folder,
    log: createLog({ name: 'test', level: 'silent' }),
    timers,
  }
  return {
    folder,
    directory,
    timers,
    cipher,
    dependencies,
    names: async () => (await readdir(directory)).toSorted(),
    async [Symbol.asyncDispose]() {
      await database.close()
      await rm(folder, { recursive: true })
    },
  }
}

const first = 'pets-20260301T120000Z.hearth-backup'

test('a backup counts once it restores to the same rows; nothing else is left, and only its owner reads it', async () => {
  await using place = await openPlace()
  const backups = new Backups(place.dependencies)
  const attempt = await backups.run()
  assert.deepEqual([attempt?.error, attempt?.rows], [null, 3])
  assert.deepEqual(await place.names(), [first])
  assert.equal((await stat(join(place.directory, first))).mode & 0o777, 0o600)
  assert.equal((await stat(place.directory)).mode & 0o777, 0o700)
  const { lastGood, nextAt } = await backups.status()
  assert.equal(lastGood?.bytes, (await stat(join(place.directory, first))).size)
  assert.equal(nextAt, noon + day)
  const target = openDatabase<Tables>({ file: ':memory:' })
  await migrate(target.query, migrations)
  const scope = { tables: ['pets'], cipher: place.cipher, schema: '0001-initial' }
  await readDump(target, join(place.directory, first), scope)
  assert.equal((await target.query.selectFrom('pets').selectAll().execute()).length, 3)
  await target.close()
})

test('a backup that restores to other rows is kept aside and reported, and deletes no good one', async () => {
  await using place = await openPlace({ keep: { days: 0, weeks: 0, months: 0 } })
  await new Backups(place.dependencies).run()
  const source = {
    ...place.dependencies.source,
    async openScratch(folder: string) {
      const scratch = await place.dependencies.source.openScratch(folder)
      await migrate(scratch.query, migrations)
      // A database that changes what it is given.
      await sql`create trigger change after insert on pets begin update pets set name = 'x'; end`.execute(scratch.query)
      return scratch
    },
  }
  place.timers.jump(day)
  const backups = new Backups({ ...place.dependencies, source })
  assert.match((await backups.run())?.error ?? '', /restores to other rows in pets/)
  assert.deepEqual(await place.names(), [first, 'pets-20260302T120000Z.hearth-backup.failed'])
  const { lastAttempt, lastGood } = await backups.status()
  assert.match(lastAttempt?.error ?? '', /other rows/)
  assert.equal(lastGood?.at, noon)
})

test('retention deletes only verified backups of the service, after a new one', async () => {
  await using place = await openPlace()
  const backups = new Backups(place.dependencies)
  await backups.run()
  const others = ['sites-20200101T000000Z.hearth-backup', 'notes.txt', 'pets-2020.hearth-backup']
  for (const name of others) await writeFile(join(place.directory, name), 'x')
  for (let index = 0; index < 3; index += 1) {
    place.timers.jump(day)
    await backups.run()
  }
  const days = ['20260303', '20260304'].map((name) => `pets-${name}T120000Z.hearth-backup`)
  assert.deepEqual(await place.names(), [...others, ...days].toSorted())
})

test('what an interrupted backup left is removed by the next one', async () => {
  await using place = await openPlace()
  const backups = new Backups(place.dependencies)
  await backups.run()
  for (const suffix of ['.unverified', '.unverified.4711.tmp'])
    await writeFile(join(place.directory, `pets-20260301T110000Z.hearth-backup${suffix}`), 'half')
  place.timers.jump(day)
  await backups.run()
  assert.deepEqual(await place.names(), [first, 'pets-20260302T120000Z.hearth-backup'])
})

test('the newest backup decides when the next is due, not the start; one from the future does not count', async () => {
  await using place = await openPlace({}, 20_000)
  await new Backups(place.dependencies).run()
  await writeFile(join(place.directory, 'pets-20990101T000000Z.hearth-backup'), 'from a wrong clock')
  const backups = new Backups(place.dependencies)
  backups.start()
  const dueAt = noon + day
  while ((await place.names()).length < 3) await place.timers.delay(60_000)
  await backups.close()
  const made = (await backups.status()).lastAttempt
  assert.ok(made !== null && made.at >= dueAt, 'not before it is due')
  assert.ok((await place.names()).includes('pets-20990101T000000Z.hearth-backup'))
})

test('a directory that cannot be written, or has no room, is reported, and the service goes on', async () => {
  await using place = await openPlace()
  await writeFile(join(place.folder, 'file'), '')
  const policy = { ...place.dependencies.policy, directory: join(place.folder, 'file', 'below') }
  const broken = new Backups({ ...place.dependencies, policy })
  assert.match((await broken.run())?.error ?? '', /ENOTDIR/)
  assert.match((await broken.status()).lastAttempt?.error ?? '', /ENOTDIR/)
  const source = { ...place.dependencies.source, sizeBytes: () => Promise.resolve(1e18) }
  const full = new Backups({ ...place.dependencies, source })
  assert.match((await full.run())?.error ?? '', /bytes left/)
  assert.deepEqual(await place.names(), [])
  assert.equal((await new Backups(place.dependencies).run())?.error, null)
  assert.match(await readFile(join(place.folder, 'backup-state.json'), 'utf8'), /"error":null/)
})

test('without a directory no backup is made, and the status says so', async () => {
  await using place = await openPlace({ directory: undefined })
  const backups = new Backups(place.dependencies)
  backups.start()
  assert.equal(await backups.run(), undefined)
  const { directory, nextAt, lastAttempt } = await backups.status()
  assert.deepEqual([directory, nextAt, lastAttempt], [undefined, undefined, null])
})
