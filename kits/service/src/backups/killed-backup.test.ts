import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Transform } from 'node:stream'
import { test } from 'node:test'
import { createFileCipher } from '@hearth/credentials'
import { migrate, openDatabase, type Database, type Migrations } from '@hearth/database'
import { createFastTimers, createLog } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { Backups } from './backups.ts'

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

/** Moments of a backup, in their order. */
const places = [
  'lock opened',
  'size read',
  'reader opened',
  'first bytes written',
  'last bytes written',
  'reader closed',
  'scratch opened',
  'first bytes read back',
  'scratch closed',
  'verified',
] as const
type Place = (typeof places)[number]

const day = 86_400_000
const start = Date.parse('2026-03-01T12:00:00Z')

/** The backups of the database in a folder; tells each place that they pass. */
function openBackups(folder: string, now: number, passed: (place: Place) => void) {
  const cipher = createFileCipher(Buffer.alloc(32, 7))
  const log = createLog({ name: 'test', level: 'silent' })
  log.info = () => passed('verified')
  const open = (file: string) => openDatabase<Tables>({ file })
  const tellingClose = (database: Database<Tables>, place: Place): Database<Tables> => ({
    kind: database.kind,
    query: database.query,
    async close() {
      await database.close()
      passed(place)
    },
  })
  let readers = 0
  return new Backups<Tables>({
    source: {
      service: 'pets',
      migrations,
      tables: ['pets'],
      keyCheck: 'k',
      fileCipher: {
        encrypt: (bound) => telling(cipher.encrypt(bound), 'first bytes written', 'last bytes written'),
        decrypt: (bound) => telling(cipher.decrypt(bound), 'first bytes read back'),
      },
      openReader() {
        readers += 1
        passed(readers === 1 ? 'lock opened' : 'reader opened')
        const database = open(join(folder, 'pets.db'))
        return Promise.resolve(readers === 1 ? database : tellingClose(database, 'reader closed'))
      },
      openScratch(scratch) {
        const database = open(join(scratch, 'scratch.db'))
        passed('scratch opened')
        return Promise.resolve(tellingClose(database, 'scratch closed'))
      },
      sizeBytes() {
        passed('size read')
        return Promise.resolve(1)
      },
    },
    policy: { directory: join(folder, 'backups'), everyMs: day, keep: { days: 100, weeks: 0, months: 0 } },
    dataDirectory: folder,
    log,
    timers: createFastTimers(1, now),
  })

  function telling(transform: Transform, first: Place, last?: Place): Transform {
    transform.once('data', () => passed(first))
    if (last !== undefined) transform.once('end', () => passed(last))
    return transform
  }
}

async function openFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-killed-'))
  const database = openDatabase<Tables>({ file: join(folder, 'pets.db') })
  await migrate(database.query, migrations)
  for (let id = 1; id <= 200; id += 1)
    await database.query
      .insertInto('pets')
      .values({ id, name: `pet ${id * 7919}` })
      .execute()
  await database.close()
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
}

const [, , role, place, folder = '', now] = process.argv
if (role === 'killed') {
  await openBackups(folder, Number(now), (passed) => {
    if (passed === place) process.kill(process.pid, 'SIGKILL')
  }).run()
} else
  test('a process that is killed during a backup leaves nothing that counts, and the next one tidies up', async () => {
    await using place = await openFolder()
    const directory = join(place.folder, 'backups')
    const first = await openBackups(place.folder, start, () => undefined).run()
    assert.equal(first?.error, null)
    const content = await readFile(first?.file ?? '')
    for (const [index, name] of places.entries()) {
      const at = start + (index + 1) * 2 * day
      const before = (await readdir(directory)).toSorted()
      const child = spawn(process.execPath, [import.meta.filename, 'killed', name, place.folder, String(at)], {
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      const [, signal] = (await once(child, 'exit')) as [number | null, string | null]
      assert.equal(signal, 'SIGKILL', `${name}: the backup passes there`)
      const counted = (await readdir(directory)).filter((file) => file.endsWith('.hearth-backup')).toSorted()
      assert.equal(counted.length, before.length + (name === 'verified' ? 1 : 0), name)
      const next = await openBackups(place.folder, at + day, () => undefined).run()
      assert.deepEqual([next?.error, next?.rows], [null, 200], name)
      const after = await readdir(directory)
      assert.deepEqual(
        after.filter((file) => !file.endsWith('Z.hearth-backup')),
        [],
        `${name}: nothing half is left`,
      )
      assert.equal(after.length, counted.length + 1, name)
      assert.deepEqual(await readdir(join(place.folder, 'backup-scratch')), [], name)
    }
    assert.deepEqual(await readFile(first?.file ?? ''), content)
  })
