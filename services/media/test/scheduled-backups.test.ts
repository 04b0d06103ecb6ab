import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { BackupReport } from '@hearth/service'
import { eventually, temporaryDirectory } from '@hearth/testing'
import { startMedia } from './in-process.ts'

test('a backup is made by the API, which then tells how it ended; the metrics tell it too', async () => {
  await using elsewhere = await temporaryDirectory()
  const directory = join(elsewhere.path, 'backups')
  await using media = await startMedia({ BACKUP_DIR: directory })
  assert.equal((await media.json('POST', '/api/backups')).status, 202)
  const { body } = await eventually(
    () => media.json<BackupReport>('GET', '/api/backups'),
    (reply) => !reply.body.is_running && reply.body.last_backup !== null,
  )
  assert.equal(body.last_attempt?.error, null)
  assert.deepEqual(await readdir(directory), [body.last_backup?.file.slice(directory.length + 1)])
  const metrics = await (await fetch(`${media.url}/metrics`)).text()
  assert.match(metrics, new RegExp(`^hearth_backup_size_bytes ${body.last_backup?.bytes}$`, 'm'))
})

test('without a directory a backup is refused with the setting that is missing', async () => {
  await using media = await startMedia()
  const refused = await media.json<{ detail: string }>('POST', '/api/backups')
  assert.equal(refused.status, 409)
  assert.match(JSON.stringify(refused.body), /BACKUP_DIR is not set/)
})
