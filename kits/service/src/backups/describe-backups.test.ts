import assert from 'node:assert/strict'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryDirectory } from '@hearth/testing'
import { z } from 'zod'
import { backupConfig, backupSettings } from './backup-settings.ts'
import { writeBackupState, type BackupAttempt } from './backup-state.ts'
import { describeBackups } from './describe-backups.ts'

const hour = 3_600_000
const noon = Date.parse('2026-03-01T12:00:00Z')
const good: BackupAttempt = { at: noon, seconds: 1, error: null, file: 'x', bytes: 1, rows: 1 }
const failed: BackupAttempt = { ...good, error: 'the disk is full', file: null, bytes: null, rows: null }

/** What doctor says of the service `pets`, whose last verified backup is of noon. */
async function openPlace(folder: string) {
  const directory = join(folder, 'backups')
  await mkdir(directory)
  const file = join(directory, 'pets-20260301T120000Z.hearth-backup')
  await writeFile(file, '')
  await writeFile(join(directory, 'birds-20260301T150000Z.hearth-backup'), '')
  const look = async (now: number, environment: Record<string, string> = {}) => {
    const [fact, ...others] = await describeBackups(
      'pets',
      (settings) => ({
        dataDirectory: folder,
        ...backupConfig(z.object(backupSettings).parse(settings)),
      }),
      { environment: { BACKUP_DIR: directory, BACKUP_EVERY: '6h', ...environment }, now },
    )
    assert.deepEqual(others, [])
    return fact
  }
  const keep = (lastAttempt: BackupAttempt) => writeBackupState(folder, { lastAttempt, lastGood: good })
  return { directory, file, look, keep }
}

test('doctor tells the age of the last backup, and when it is older than twice the interval', async () => {
  await using folder = await temporaryDirectory()
  const { file, look, keep } = await openPlace(folder.path)
  await keep(good)
  const fresh = await look(noon + 12 * hour)
  assert.deepEqual([fresh?.state, fresh?.detail], ['ok', `${file}, 12 hours old`])
  const old = await look(noon + 12 * hour + 1000)
  assert.equal(old?.state, 'degraded')
  assert.match(old?.meaning ?? '', /older than twice BACKUP_EVERY \(6 hours\)/)
  assert.equal((await look(noon + 30 * hour, { BACKUP_EVERY: '24h' }))?.state, 'ok')
  assert.equal((await look(noon + 72 * hour))?.detail, `${file}, 3 days old`)
})

test('doctor tells why the last backup failed, and which one there is', async () => {
  await using folder = await temporaryDirectory()
  const { file, look, keep } = await openPlace(folder.path)
  await keep({ ...failed, at: noon + hour })
  const fact = await look(noon + hour + 60_000)
  assert.deepEqual([fact?.state, fact?.detail], ['degraded', 'failed 1 minute ago: the disk is full'])
  assert.equal(fact?.meaning, `tried again every ten minutes while the service runs; ${file}, 61 minutes old`)
  // Another process made one since.
  await keep({ ...failed, at: noon - hour })
  assert.equal((await look(noon + hour))?.state, 'ok')
})

test('doctor does not count on a backup that is gone or from the future, and is silent without a directory', async () => {
  await using folder = await temporaryDirectory()
  const { directory, look, keep } = await openPlace(folder.path)
  await keep(good)
  assert.equal((await look(noon - hour))?.detail, `no backup in ${directory}`)
  await rm(directory, { recursive: true })
  const none = await look(noon + hour)
  assert.deepEqual([none?.state, none?.detail], ['degraded', `no backup in ${directory}`])
  await writeFile(directory, 'not a directory')
  assert.equal((await look(noon + hour))?.state, 'degraded')
  assert.equal(await look(noon, { BACKUP_DIR: '' }), undefined)
})
