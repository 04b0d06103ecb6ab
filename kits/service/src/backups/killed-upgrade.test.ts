import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Transform } from 'node:stream'
import { test } from 'node:test'
import { createFileCipher } from '@hearth/credentials'
import { migrate, openDatabase, readDump, type DatabaseLocation, type Migrations } from '@hearth/database'
import { createPostgresDatabase, postgresObstacle } from '@hearth/testing'
import { sql, type Kysely } from 'kysely'
import { backUpBeforeUpgrade } from './upgrade-backup.ts'

interface Tables {
  pets: { id: number; name: string; kind?: string }
  owners: { id: number }
}

/** Moments of an upgrade, in their order. */
const places = [
  'reader opened',
  'first bytes written',
  'last bytes written',
  'scratch opened',
  'first bytes read back',
  'backup made',
  'first step done',
  'second step half done',
  'second step done',
  'committed',
] as const
type Place = (typeof places)[number]

const older: Migrations = {
  '0001-initial': {
    async up(db: Kysely<unknown>) {
      await sql`create table pets (id integer primary key, name text)`.execute(db)
    },
  },
}

const newer = (passed: (place: Place) => void): Migrations => ({
  ...older,
  '0002-owners': {
    async up(db: Kysely<unknown>) {
      await sql`create table owners (id integer primary key)`.execute(db)
      passed('first step done')
    },
  },
  '0003-kind': {
    async up(db: Kysely<unknown>) {
      await sql`alter table pets add column kind text not null default 'cat'`.execute(db)
      passed('second step half done')
      await sql`insert into owners (id) select id from pets`.execute(db)
      passed('second step done')
    },
  },
})

const cipher = createFileCipher(Buffer.alloc(32, 7))

/** Starts on the database, as a service does; tells each place that it passes. */
async function start(folder: string, location: DatabaseLocation, passed: (place: Place) => void): Promise<void> {
  const tell = (transform: Transform, first: Place, last?: Place): Transform => {
    transform.once('data', () => passed(first))
    if (last !== undefined) transform.once('end', () => passed(last))
    return transform
  }
  const migrations = newer(passed)
  const source = {
    service: 'pets',
    migrations,
    tables: ['pets', 'owners'],
    keyCheck: 'k',
    fileCipher: {
      encrypt: (bound: string) => tell(cipher.encrypt(bound), 'first bytes written', 'last bytes written'),
      decrypt: (bound: string) => tell(cipher.decrypt(bound), 'first bytes read back'),
    },
    openReader() {
      passed('reader opened')
      return Promise.resolve(openDatabase<Tables>(location))
    },
    openScratch(scratch: string) {
      passed('scratch opened')
      return Promise.resolve(openDatabase<Tables>({ file: join(scratch, 'scratch.db') }))
    },
    sizeBytes: () => Promise.resolve(1),
  }
  const context = {
    dataDirectory: folder,
    backupDirectory: undefined,
    inform: () => passed('backup made'),
    warn: (message: string) => assert.fail(message),
  }
  const database = openDatabase<Tables>(location)
  try {
    await migrate(database.query, migrations, (applied) => backUpBeforeUpgrade(source, applied, context))
    passed('committed')
  } finally {
    await database.close()
  }
}

async function makeOlder(location: DatabaseLocation): Promise<void> {
  const database = openDatabase<Tables>(location)
  await migrate(database.query, older)
  const pets = Array.from({ length: 200 }, (_, index) => ({ id: index + 1, name: `pet ${index * 7919}` }))
  await database.query.insertInto('pets').values(pets).execute()
  await database.close()
}

async function checkUpgraded(folder: string, location: DatabaseLocation, place: Place): Promise<void> {
  const database = openDatabase<Tables>(location)
  const pets = await database.query.selectFrom('pets').selectAll().orderBy('id').execute()
  assert.equal(pets.length, 200, place)
  assert.ok(
    pets.every(({ id, name, kind }) => name === `pet ${(id - 1) * 7919}` && kind === 'cat'),
    place,
  )
  assert.equal((await database.query.selectFrom('owners').selectAll().execute()).length, 200, place)
  await database.close()
  const directory = join(folder, 'backups')
  const [name = '', ...others] = await readdir(directory)
  assert.match(name, /^pets-\d{8}T\d{6}Z-before-upgrade\.hearth-backup$/, place)
  assert.deepEqual(others, [], `${place}: one backup of a version is enough, and nothing half is left`)
  const target = openDatabase<Tables>({ file: ':memory:' })
  await migrate(target.query, older)
  const scope = { tables: ['pets'], cipher, schema: '0001-initial' }
  assert.deepEqual((await readDump(target, join(directory, name), scope)).rows, { pets: 200 }, place)
  await target.close()
}

async function killAt(place: Place, folder: string, location: DatabaseLocation): Promise<void> {
  const args = [import.meta.filename, 'killed', place, folder, JSON.stringify(location)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  const [, signal] = (await once(child, 'exit')) as [number | null, string | null]
  assert.equal(signal, 'SIGKILL', `${place}: the upgrade passes there`)
}

async function killEverywhere(locate: (folder: string) => Promise<DatabaseLocation>): Promise<void> {
  for (const place of places) {
    const folder = await mkdtemp(join(tmpdir(), 'hearth-upgrade-'))
    try {
      const location = await locate(folder)
      await makeOlder(location)
      await killAt(place, folder, location)
      await start(folder, location, () => undefined)
      await checkUpgraded(folder, location, place)
    } finally {
      await rm(folder, { recursive: true })
    }
  }
}

const [, , role, killedAt, givenFolder = '', givenLocation = ''] = process.argv
if (role === 'killed') {
  await start(givenFolder, JSON.parse(givenLocation) as DatabaseLocation, (passed) => {
    if (passed === killedAt) process.kill(process.pid, 'SIGKILL')
  })
} else {
  test('an upgrade that is killed anywhere loses nothing, and the next start completes it', () =>
    killEverywhere((folder) => Promise.resolve({ file: join(folder, 'pets.db') })))
  test('the same on PostgreSQL', { skip: postgresObstacle() }, () =>
    killEverywhere(async () => ({ url: await createPostgresDatabase() })),
  )
}
