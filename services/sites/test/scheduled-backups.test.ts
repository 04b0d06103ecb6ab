import assert from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createFastTimers } from '@hearth/runtime'
import type { BackupReport } from '@hearth/service'
import { eventually, runCommand, temporaryDirectory } from '@hearth/testing'
import { startSites, type Browser, type Sites } from './in-process.ts'

test('a running service makes a backup by itself soon after the start, and it can be restored', async () => {
  await using elsewhere = await temporaryDirectory()
  const directory = join(elsewhere.path, 'backups')
  const timers = createFastTimers(20)
  await using sites = await startSites({ BACKUP_DIR: directory }, { timers })
  const made = async () => (await readdir(directory).catch(() => [])).filter((name) => name.endsWith('.hearth-backup'))
  while ((await made()).length === 0) await timers.delay(1000)
  const [name = ''] = await made()
  assert.match(name, /^sites-20\d{6}T\d{6}Z\.hearth-backup$/)
  const check = await runCommand(['sites', 'restore', '--check', join(directory, name)], { DATA_DIR: sites.folder })
  assert.deepEqual([check.code, check.stderr], [0, ''])
  assert.match(check.stdout, /^ +\d+ facts$/m)
  assert.deepEqual(await readdir(join(sites.folder, 'backup-scratch')), [])
})

const scrapeToken = 'a-token-of-at-least-20-characters'

async function scrape({ url }: Sites): Promise<string> {
  return (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${scrapeToken}` } })).text()
}

/** Makes a backup by the API and waits for its end. */
async function backUp(admin: Browser): Promise<BackupReport> {
  const started = await admin.json<BackupReport>('POST', '/api/v1/backups')
  assert.equal(started.status, 202)
  return eventually(
    async () => (await admin.json<BackupReport>('GET', '/api/v1/backups')).body,
    (report) => !report.is_running,
  )
}

test('an administrator makes a backup and reads how it ended; the metrics tell it too', async () => {
  await using elsewhere = await temporaryDirectory()
  const directory = join(elsewhere.path, 'backups')
  await using sites = await startSites({
    BACKUP_DIR: directory,
    BACKUP_EVERY: '6h',
    BACKUP_KEEP: '2d',
    METRICS_TOKEN: scrapeToken,
  })
  const admin = await sites.signIn()
  const { body: before } = await admin.json<BackupReport>('GET', '/api/v1/backups')
  assert.deepEqual(before, {
    directory,
    every_seconds: 21_600,
    keep: { days: 2, weeks: 0, months: 0 },
    copied_to: null,
    is_running: false,
    next_at: before.next_at,
    last_backup: null,
    last_attempt: null,
  })
  const { last_backup: made, last_attempt: attempt, next_at: next } = await backUp(admin)
  assert.ok(made !== null && attempt !== null && next !== null)
  assert.deepEqual([attempt.error, made.made_at], [null, attempt.at])
  assert.deepEqual(await readdir(directory), [made.file.slice(directory.length + 1)])
  assert.ok(made.bytes > 500 && Number(made.rows) > 0)
  assert.equal(Date.parse(next) - Date.parse(made.made_at), 21_600_000)
  const metrics = await scrape(sites)
  assert.match(metrics, /^hearth_backup_interval_seconds 21600$/m)
  assert.match(
    metrics,
    new RegExp(`^hearth_backup_last_success_timestamp_seconds ${Date.parse(made.made_at) / 1000}$`, 'm'),
  )
  assert.match(metrics, new RegExp(`^hearth_backup_size_bytes ${made.bytes}$`, 'm'))
  assert.match(metrics, /^hearth_backup_last_attempt_failed 0$/m)
  await sites.addUser('ada', 'user')
  const user = await sites.signInAs('ada')
  assert.equal((await user.json('GET', '/api/v1/backups')).status, 403)
  assert.equal((await user.json('POST', '/api/v1/backups')).status, 403)
})

test('a backup that fails says why, in the API and in the metrics', async () => {
  await using elsewhere = await temporaryDirectory()
  const file = join(elsewhere.path, 'file')
  await writeFile(file, '')
  await using sites = await startSites({ BACKUP_DIR: join(file, 'below'), METRICS_TOKEN: scrapeToken })
  const { last_backup: made, last_attempt: attempt } = await backUp(await sites.signIn())
  assert.equal(made, null)
  assert.match(attempt?.error ?? '', /ENOTDIR/)
  assert.match(await scrape(sites), /^hearth_backup_last_attempt_failed 1$/m)
})

test('without a directory a backup is refused with the setting that is missing', async () => {
  await using sites = await startSites({ METRICS_TOKEN: scrapeToken })
  const admin = await sites.signIn()
  const { body } = await admin.json<BackupReport>('GET', '/api/v1/backups')
  assert.deepEqual([body.directory, body.next_at], [null, null])
  const refused = await admin.json<{ detail: string }>('POST', '/api/v1/backups')
  assert.equal(refused.status, 409)
  assert.match(refused.body.detail, /BACKUP_DIR is not set/)
  assert.doesNotMatch(await scrape(sites), /hearth_backup/)
})
