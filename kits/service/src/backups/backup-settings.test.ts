import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseSettings } from '@hearth/runtime'
import { z } from 'zod'
import { backupConfig, backupSettings } from './backup-settings.ts'

const read = (environment: Record<string, string>) =>
  backupConfig(parseSettings(z.object(backupSettings), environment)).backups

test('backups are off without a directory; durations and numbers to keep are read in their short forms', () => {
  assert.deepEqual(read({}), { directory: undefined, everyMs: 86_400_000, keep: { days: 7, weeks: 4, months: 6 } })
  assert.equal(read({ BACKUP_EVERY: '30m' }).everyMs, 1_800_000)
  assert.equal(read({ BACKUP_EVERY: '7d' }).everyMs, 604_800_000)
  assert.deepEqual(read({ BACKUP_KEEP: '14d,12m' }).keep, { days: 14, weeks: 0, months: 12 })
  assert.deepEqual(read({ BACKUP_KEEP: '3w' }).keep, { days: 0, weeks: 3, months: 0 })
})

test('a wrong duration or number to keep is refused with the name of its setting', () => {
  for (const text of ['9m', '0h', '1', 'h', '1.5h', '-1d', '367d', '24 h', '1w'])
    assert.throws(() => read({ BACKUP_EVERY: text }), /^OperatorError: BACKUP_EVERY: must be a duration/)
  for (const text of ['7', 'd', '7d,', ',4w', '4w,7d', '7d4w', '7d 4w', '1001d', '7y'])
    assert.throws(() => read({ BACKUP_KEEP: text }), /^OperatorError: BACKUP_KEEP: must be numbers/)
})
