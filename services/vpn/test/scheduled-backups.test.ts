import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually, temporaryDirectory } from '@hearth/testing'
import { startService } from './in-process.ts'

test('an administrator makes a backup and reads how it ended; a user and a read-only token may not', async () => {
  await using elsewhere = await temporaryDirectory()
  const directory = join(elsewhere.path, 'backups')
  await using service = await startService({ BACKUP_DIR: directory })
  const started = await service.call('POST', '/api/backups')
  assert.deepEqual([started.status, started.body.success], [202, true])
  const { body } = await eventually(
    () => service.call('GET', '/api/backups'),
    (reply) => reply.body.data.is_running === false && reply.body.data.last_backup !== null,
  )
  assert.equal(body.data.last_attempt.error, null)
  assert.deepEqual(await readdir(directory), [body.data.last_backup.file.slice(directory.length + 1)])
  const metrics = await service.send('GET', '/metrics', { headers: { host: '127.0.0.1' } })
  assert.match(metrics.text, new RegExp(`^hearth_backup_size_bytes ${body.data.last_backup.bytes}$`, 'm'))
  const { password } = await service.addUser('ada', 'user')
  const user = await service.signIn('ada', password)
  assert.equal((await user.send('GET', '/api/backups')).status, 403)
  const admin = await service.signIn('admin', 'tall-giraffe-on-ice-7')
  const token = await service.token(admin, 'read-only')
  assert.equal((await service.send('POST', '/api/backups', { token })).status, 403)
})

test('without a directory a backup is refused with the setting that is missing', async () => {
  await using service = await startService()
  const refused = await service.call('POST', '/api/backups')
  assert.deepEqual([refused.status, refused.body.error], [409, 'Conflict'])
  assert.match(refused.body.message, /BACKUP_DIR is not set/)
})
