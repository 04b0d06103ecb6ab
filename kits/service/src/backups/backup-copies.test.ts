import assert from 'node:assert/strict'
import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { copyBackups, type BackupStore } from './backup-copies.ts'
import { BackupFiles } from './backup-files.ts'

const nameOf = (day: string) => `pets-202603${day}T120000Z.hearth-backup`
const now = Date.parse('2026-03-05T12:00:00Z')
const { signal } = new AbortController()

/** A directory of backups, and a store that is another directory. */
async function openPlace(days: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'hearth-copies-'))
  const [local, remote] = [join(folder, 'local'), join(folder, 'remote')]
  await mkdir(local)
  await mkdir(remote)
  for (const day of days) await writeFile(join(local, nameOf(day)), day)
  const store: BackupStore = {
    place: 'elsewhere',
    put: (name, path) => copyFile(path, join(remote, name)),
    list: () => readdir(remote),
    remove: (name) => rm(join(remote, name)),
  }
  const copy = (days: number, given = store) =>
    copyBackups(new BackupFiles(local, 'pets'), given, { keep: { days, weeks: 0, months: 0 }, now, signal })
  return { local, remote, store, copy, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
}

test('every verified backup that is missing is copied, and nothing else', async () => {
  await using place = await openPlace(['01', '02'])
  await writeFile(join(place.local, `${nameOf('03')}.unverified`), 'half')
  await writeFile(join(place.local, `${nameOf('04')}.failed`), 'bad')
  await writeFile(join(place.local, 'sites-20260304T120000Z.hearth-backup'), 'of another service')
  await place.copy(7)
  assert.deepEqual((await readdir(place.remote)).toSorted(), [nameOf('01'), nameOf('02')])
  await place.copy(7, { ...place.store, put: () => assert.fail('it is there already') })
})

test('the store keeps what the retention says, also when the directory has lost it', async () => {
  await using place = await openPlace(['01', '02', '03'])
  await place.copy(7)
  await rm(join(place.local, nameOf('02')))
  await writeFile(join(place.remote, 'notes.txt'), 'mine')
  await place.copy(7)
  assert.equal((await readdir(place.remote)).length, 4)
  await writeFile(join(place.local, nameOf('04')), '04')
  await place.copy(2)
  assert.deepEqual((await readdir(place.remote)).toSorted(), ['notes.txt', nameOf('03'), nameOf('04')])
})
