import assert from 'node:assert/strict'
import { test } from 'node:test'
import { backupStanding, everyText, keptText, outcomeSince, type BackupReport } from './backup-report.ts'

const day = 86_400
const noon = '2026-03-01T12:00:00.000Z'
const good: BackupReport = {
  directory: '/backups',
  every_seconds: day,
  keep: { days: 7, weeks: 4, months: 6 },
  copied_to: null,
  is_running: false,
  next_at: '2026-03-02T12:00:00.000Z',
  last_backup: { made_at: noon, bytes: 2048, rows: 3, seconds: 0.2 },
  last_attempt: { at: noon, seconds: 0.2, error: null },
}
const failed: BackupReport = {
  ...good,
  last_attempt: { at: '2026-03-02T12:00:00.000Z', seconds: 0.1, error: 'no space' },
}
const textAt = (report: BackupReport, time: string) => backupStanding(report, new Date(time)).text

test('the state is that of the last attempt; a good backup is overdue after twice the interval', () => {
  assert.equal(textAt(good, '2026-03-03T12:00:00Z'), 'Verified')
  assert.equal(textAt(good, '2026-03-03T12:00:01Z'), 'Overdue')
  assert.equal(textAt(failed, '2026-03-02T13:00:00Z'), 'Failed')
  assert.equal(textAt({ ...failed, is_running: true }, noon), 'Running')
  assert.equal(textAt({ ...good, last_backup: null, last_attempt: null }, noon), 'No backup yet')
})

test('the interval is told in its largest whole unit', () => {
  const texts = [86_400, 172_800, 3600, 21_600, 90_000, 600].map(everyText)
  const expected = ['every day', 'every 2 days', 'every hour', 'every 6 hours', 'every 25 hours', 'every 10 minutes']
  assert.deepEqual(texts, expected)
})

test('what is kept is told without the periods that keep none', () => {
  assert.equal(keptText(good.keep), 'the newest of each of 7 days, 4 weeks and 6 months')
  assert.equal(keptText({ days: 0, weeks: 1, months: 0 }), 'the newest of each of 1 week')
  assert.equal(keptText({ days: 0, weeks: 0, months: 0 }), 'only the newest')
})

test('a backup that somebody started is told by its outcome', () => {
  assert.deepEqual(outcomeSince(failed, good), { message: 'Backup verified: 2 KiB' })
  assert.deepEqual(outcomeSince(good, failed), { error: 'The backup failed: no space' })
  assert.deepEqual(outcomeSince(good, good), { message: 'Another process of this service makes the backup' })
})
