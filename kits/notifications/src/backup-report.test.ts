import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openToldNotifications } from '../test/told-notifications.ts'
import { backupClass, reportBackup } from './backup-report.ts'

test('failing backups are told once when they begin to fail and once when one works again', async () => {
  await using notifications = await openToldNotifications([backupClass])
  for (const error of [null, 'the disk is full', 'the disk is still full', null, null, 'the disk is full'])
    reportBackup(notifications.reports, { error })
  assert.deepEqual(await notifications.told(), [
    'began: Backup failed',
    'ended: Backups work again',
    'began: Backup failed',
  ])
})
