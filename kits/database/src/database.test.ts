import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { PassThrough } from 'node:stream'
import { gunzipSync, gzipSync } from 'node:zlib'
import { type Kysely, sql } from 'kysely'
import {
  migrate,
  openDatabase,
  readDump,
  readDumpHeader,
  uniqueViolation,
  writeDump,
  type Database,
  type Migrations,
} from './index.ts'

interface Tables {
  owners: { id: string; name: string }
  pets: { id: string; owner_id: string; weight: number | null }
}

const migrations: Migrations = {
  '0001-initial': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('owners')
        .addColumn('id', 'text', (c) => c.primaryKey())
        .addColumn('name', 'text', (c) => c.notNull().unique())
        .execute()
      await db.schema
        .createTable('pets')
        .addColumn('id', 'text', (c) => c.primaryKey())
        .addColumn('owner_id', 'text', (c) => c.notNull().references('owners.id'))
        .addColumn('weight', 'double precision')
        .execute()
    },
  },
}

/** Leaves the content as it is, so that a test can look into it. */
const cipher = { encrypt: () => new PassThrough(), decrypt: () => new PassThrough() }
const scope = { tables: ['owners', 'pets'], cipher, schema: '0001-initial' }
const header = {
  format: 'hearth-backup-1',
  service: 'test',
  schema: '0001-initial',
  created_at: '2026-01-01T00:00:00Z',
  key_check: 'k',
} as const

async function openTest(): Promise<
  AsyncDisposable & { folder: string; open(name: string): Promise<Database<Tables>> }
> {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-database-'))
  const opened: Database<Tables>[] = []
  return {
    folder,
    async open(name) {
      const database = openDatabase<Tables>({ file: join(folder, name) })
      await migrate(database.query, migrations)
      opened.push(database)
      return database
    },
    async [Symbol.asyncDispose]() {
      for (const database of opened) await database.close()
      await rm(folder, { recursive: true })
    },
  }
}

async function fill(database: Database<Tables>, pets: number): Promise<void> {
  await database.query.insertInto('owners').values({ id: 'o1', name: 'Ada' }).execute()
  for (let index = 0; index < pets; index += 1) {
    await database.query
      .insertInto('pets')
      .values({ id: `p${index}`, owner_id: 'o1', weight: index === 0 ? null : index / 3 })
      .execute()
  }
}

test('migrations run once, and a database from a newer version is refused', async () => {
  await using place = await openTest()
  const database = await place.open('a.db')
  assert.deepEqual(await migrate(database.query, migrations), [])
  await assert.rejects(migrate(database.query, {}), /0001-initial/)
})

test('a failed migration rolls back all migrations, so that a fixed version can start again', async () => {
  await using place = await openTest()
  const database = openDatabase<Tables>({ file: join(place.folder, 'half') })
  const failing: Migrations = {
    ...migrations,
    '0002-breaks': {
      async up(db: Kysely<unknown>) {
        await db.schema.createTable('half').addColumn('id', 'text').execute()
        throw new Error('disk is full')
      },
    },
  }
  await assert.rejects(migrate(database.query, failing), /disk is full/)
  assert.deepEqual(await database.query.introspection.getTables(), [])
  assert.deepEqual(await migrate(database.query, migrations), ['0001-initial'])
  await database.close()
})

test('a table that others refer to is made anew without their rows; a reference to nothing undoes everything', async () => {
  await using place = await openTest()
  const database = await place.open('rebuilt.db')
  await fill(database, 3)
  const rebuild = (owner: string): Migrations => ({
    ...migrations,
    '0002-rebuild': {
      isRebuild: true,
      async up(db: Kysely<unknown>) {
        await sql`create table owners_next (id text primary key, name text not null)`.execute(db)
        await sql`insert into owners_next select id, name from owners where id = ${owner}`.execute(db)
        await db.schema.dropTable('owners').execute()
        await db.schema.alterTable('owners_next').renameTo('owners').execute()
      },
    },
  })
  const pets = async () => (await database.query.selectFrom('pets').selectAll().execute()).length
  await assert.rejects(migrate(database.query, rebuild('nobody')), /a row of pets refers to a row of owners/)
  assert.equal((await database.query.selectFrom('owners').selectAll().execute()).length, 1)
  await migrate(database.query, rebuild('o1'))
  assert.equal(await pets(), 3)
  const orphan = database.query.insertInto('pets').values({ id: 'x', owner_id: 'nobody', weight: 1 })
  await assert.rejects(orphan.execute(), /FOREIGN KEY/, 'references are followed again')
})

test('a unique violation is distinguished from other errors and names its column', async () => {
  await using place = await openTest()
  const { query } = await place.open('a.db')
  await query.insertInto('owners').values({ id: 'o1', name: 'Ada' }).execute()
  const same = await query
    .insertInto('owners')
    .values({ id: 'o2', name: 'Ada' })
    .execute()
    .catch((error: unknown) => error)
  assert.match(uniqueViolation(same) ?? '', /name/)
  const orphan = await query
    .insertInto('pets')
    .values({ id: 'p', owner_id: 'nobody', weight: 1 })
    .execute()
    .catch((error: unknown) => error)
  assert.ok(orphan instanceof Error)
  assert.equal(uniqueViolation(orphan), undefined)
})

test('queries, failures and the size of the database are reported', async () => {
  await using place = await openTest()
  const database = openDatabase<Tables>({ file: join(place.folder, 'counted') })
  await migrate(database.query, migrations)
  const before = await database.usage()
  assert.ok(before.sizeBytes > 0)
  await fill(database, 50)
  await assert.rejects(
    database.query
      .selectFrom('nothing' as 'owners')
      .selectAll()
      .execute(),
  )
  const after = await database.usage()
  assert.equal(after.failures - before.failures, 1)
  assert.equal(after.queries - before.queries, 52)
  assert.ok(after.seconds > before.seconds)
  assert.ok(after.sizeBytes > before.sizeBytes, `${before.sizeBytes} ${after.sizeBytes}`)
  await database.close()
})

test('a failed transaction is rolled back', async () => {
  await using place = await openTest()
  const { query } = await place.open('a.db')
  await assert.rejects(
    query.transaction().execute(async (trx) => {
      await trx.insertInto('owners').values({ id: 'o1', name: 'Ada' }).execute()
      throw new Error('no')
    }),
    /no/,
  )
  assert.deepEqual(await query.selectFrom('owners').selectAll().execute(), [])
})

test('a backup made while another connection writes restores a consistent state', async () => {
  await using place = await openTest()
  const source = await place.open('a.db')
  await fill(source, 1200)
  const file = join(place.folder, 'backup.gz')
  const writing = (async () => {
    for (let index = 0; index < 50; index += 1)
      await source.query
        .insertInto('pets')
        .values({ id: `late${index}`, owner_id: 'o1', weight: 1 })
        .execute()
  })()
  const reader = openDatabase<Tables>({ file: join(place.folder, 'a.db') })
  await writeDump(reader, file, { ...scope, header })
  await reader.close()
  await writing
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  assert.deepEqual(await readDumpHeader(file), header)

  const target = await place.open('b.db')
  await target.query.insertInto('owners').values({ id: 'gone', name: 'Before' }).execute()
  await readDump(target, file, scope)
  const pets = await target.query.selectFrom('pets').selectAll().execute()
  assert.ok(pets.length >= 1200 && pets.length <= 1250)
  assert.deepEqual(
    (await target.query.selectFrom('owners').select('id').execute()).map((row) => row.id),
    ['o1'],
  )
  assert.equal(pets.find((pet) => pet.id === 'p0')?.weight, null)
})

test('a backup from before a unique index restores the first of the rows that violate it', async () => {
  await using place = await openTest()
  const source = await place.open('a.db')
  await fill(source, 3)
  const file = join(place.folder, 'backup.gz')
  await writeDump(source, file, { ...scope, header })
  const target = await place.open('b.db')
  await target.query.schema.createIndex('one_pet').on('pets').column('owner_id').unique().execute()
  const counts = await readDump(target, file, { ...scope, schema: '0002-one-pet' })
  assert.deepEqual(counts, { rows: { owners: 1, pets: 1 }, leftOut: { pets: 2 } })
  const pets = await target.query.selectFrom('pets').select('id').execute()
  assert.deepEqual(
    pets.map(({ id }) => id),
    ['p0'],
  )
})

test('a backup of the same schema with rows that violate a unique rule is refused and changes nothing', async () => {
  await using place = await openTest()
  const source = await place.open('a.db')
  await fill(source, 3)
  const file = join(place.folder, 'backup.gz')
  await writeDump(source, file, { ...scope, header })
  const whole = await readFile(file)
  const start = whole.indexOf('\n') + 1
  const lines = gunzipSync(whole.subarray(start)).toString().split('\n')
  const twice = [...lines.slice(0, 2), ...lines.slice(1)].join('\n')
  await writeFile(file, Buffer.concat([whole.subarray(0, start), gzipSync(twice)]))
  const target = await place.open('b.db')
  await target.query.insertInto('owners').values({ id: 'kept', name: 'Kept' }).execute()
  await assert.rejects(readDump(target, file, scope), {
    name: 'OperatorError',
    message: /rows in pets .*pets\.id.*nothing was changed/,
  })
  const owners = await target.query.selectFrom('owners').select('id').execute()
  assert.deepEqual(
    owners.map(({ id }) => id),
    ['kept'],
  )
})

test('a backup that is cut short, damaged or has an unknown table is refused and changes nothing', async () => {
  await using place = await openTest()
  const source = await place.open('a.db')
  await fill(source, 3)
  const file = join(place.folder, 'backup.gz')
  await writeDump(source, file, { ...scope, header })
  const whole = await readFile(file)
  const start = whole.indexOf('\n') + 1
  const head = whole.subarray(0, start)
  const lines = gunzipSync(whole.subarray(start)).toString().split('\n')
  const packed = (...content: string[]) => Buffer.concat([head, gzipSync(content.join('\n'))])
  const cases = {
    'cut.gz': packed(...lines.slice(0, 3)),
    'damaged.gz': whole.subarray(0, start + 40),
    'unknown.gz': packed(JSON.stringify({ table: 'sqlite_master', row: { a: 1 } }), JSON.stringify({ end: true })),
    'bomb.gz': packed('x'.repeat(20_000_000)),
  }
  const target = await place.open('b.db')
  await target.query.insertInto('owners').values({ id: 'kept', name: 'Kept' }).execute()
  for (const [name, content] of Object.entries(cases)) {
    const path = join(place.folder, name)
    await writeFile(path, content)
    await assert.rejects(readDump(target, path, scope), /cut short|cannot be read|does not know|more than any backup/)
    assert.deepEqual(
      (await target.query.selectFrom('owners').select('id').execute()).map((row) => row.id),
      ['kept'],
    )
  }
  await writeFile(join(place.folder, 'text'), 'hello')
  await assert.rejects(readDumpHeader(join(place.folder, 'text')), /cannot be read|not a backup/)
})
