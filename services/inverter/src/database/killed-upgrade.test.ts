import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { migrate, readDumpHeader } from '@hearth/database'
import { createRandom } from '@hearth/testing'
import { migrations } from './migrations/index.ts'
import { openEncrypted, openStorage } from './open.ts'

const hmacSecret = 'a-secret-of-tests-with-more-than-32-characters'

/** Moments of the backup before an upgrade, in their order. */
const backupPlaces = ['backup begun', 'backup written', 'scratch opened', 'backup verified', 'backup told']

/** Moments of the upgrade itself: before and after each step but the first, which made the older tables. */
const stepPlaces = Object.keys(migrations)
  .slice(1)
  .flatMap((name) => [`before ${name}`, `after ${name}`])

/** Every moment of the backup, ten of the steps drawn by a seed, and the first moment after them. */
const places = [...backupPlaces, ...drawn(stepPlaces, 10), 'opened']

function drawn(all: readonly string[], count: number): string[] {
  const random = createRandom(20_261_121)
  const order = all.map((place) => ({ place, at: random() })).toSorted((one, other) => one.at - other.at)
  return order.slice(0, count).map(({ place }) => place)
}

const names = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : [])

/** Opens the database as a start does; tells each place that it passes. */
async function start(dataDirectory: string, passed: (place: string) => void): Promise<void> {
  const warn = (message: string) => assert.fail(message)
  const inform = () => passed('backup told')
  const { database } = await openStorage({ dataDirectory, hmacSecret, warn, inform })
  passed('opened')
  await database.close()
}

/** Tells when files show that a place is passed. */
function watchFiles(dataDirectory: string, passed: (place: string) => void): void {
  const backups = names(join(dataDirectory, 'backups'))
  if (backups.some((name) => name.endsWith('.tmp'))) passed('backup begun')
  if (backups.some((name) => name.endsWith('.unverified'))) passed('backup written')
  if (names(join(dataDirectory, 'backup-scratch')).length > 0) passed('scratch opened')
  if (backups.some((name) => name.endsWith('.hearth-backup'))) passed('backup verified')
  setImmediate(() => watchFiles(dataDirectory, passed))
}

/** Makes the steps tell when they begin and end. */
function watchSteps(passed: (place: string) => void): void {
  const steps = migrations as Record<string, { up: (db: never) => Promise<void> }>
  for (const [name, { up }] of Object.entries(steps))
    steps[name] = {
      async up(db) {
        passed(`before ${name}`)
        await up(db)
        passed(`after ${name}`)
      },
    }
}

async function makeOlder(dataDirectory: string): Promise<void> {
  const database = openEncrypted(dataDirectory, hmacSecret)
  const [first = ''] = Object.keys(migrations)
  await migrate(database.query, Object.fromEntries(Object.entries(migrations).filter(([name]) => name === first)))
  const rows = Array.from({ length: 200 }, (_, index) => ({ name: `setting ${index}`, value: String(index * 7919) }))
  await database.query.insertInto('settings').values(rows).execute()
  await database.close()
}

async function checkUpgraded(dataDirectory: string, place: string): Promise<void> {
  const database = openEncrypted(dataDirectory, hmacSecret)
  const rows = await database.query.selectFrom('settings').selectAll().where('name', 'like', 'setting %').execute()
  assert.equal(rows.length, 200, place)
  assert.ok(
    rows.every(({ name, value }) => Number(value) === Number(name.slice(8)) * 7919),
    place,
  )
  assert.deepEqual(await migrate(database.query, migrations), [], `${place}: on the newest tables`)
  await database.close()
  const directory = join(dataDirectory, 'backups')
  const [name = '', ...others] = await readdir(directory)
  assert.deepEqual(others, [], `${place}: one backup of a version is enough, and nothing half is left`)
  assert.equal((await readDumpHeader(join(directory, name))).schema, Object.keys(migrations)[0], place)
}

const [, , role, killedAt, given = ''] = process.argv
if (role === 'killed') {
  const passed = (place: string) => {
    if (place === killedAt) process.kill(process.pid, 'SIGKILL')
  }
  watchSteps(passed)
  watchFiles(given, passed)
  await start(given, passed)
} else
  test('an upgrade of the encrypted database that is killed anywhere loses nothing, and the next start completes it', async () => {
    for (const place of places) {
      const folder = await mkdtemp(join(tmpdir(), 'hearth-upgrade-'))
      try {
        await makeOlder(folder)
        const args = [import.meta.filename, 'killed', place, folder]
        const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
        const [, signal] = (await once(child, 'exit')) as [number | null, string | null]
        assert.equal(signal, 'SIGKILL', `${place}: the upgrade passes there`)
        await start(folder, () => undefined)
        await checkUpgraded(folder, place)
      } finally {
        await rm(folder, { recursive: true })
      }
    }
  })
