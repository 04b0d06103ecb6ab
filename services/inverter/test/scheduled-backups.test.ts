import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually, runCommand, temporaryDirectory } from '@hearth/testing'
import { startGateway } from './in-process.ts'

test('a running gateway makes a backup by itself soon after the start, and it can be restored', async () => {
  await using elsewhere = await temporaryDirectory()
  const directory = join(elsewhere.path, 'backups')
  await using gateway = await startGateway({ environment: { BACKUP_DIR: directory } })
  const made = async () => (await readdir(directory).catch(() => [])).filter((name) => name.endsWith('.hearth-backup'))
  while ((await made()).length === 0) await gateway.timers.delay(1000)
  const [name = ''] = await made()
  assert.match(name, /^inverter-20\d{6}T\d{6}Z\.hearth-backup$/)
  const environment = { DATA_DIR: gateway.folder }
  const check = await runCommand(['inverter', 'restore', '--check', join(directory, name)], environment)
  assert.deepEqual([check.code, check.stderr], [0, ''])
  assert.match(check.stdout, /^ +1 devices$/m)
  assert.deepEqual(await readdir(join(gateway.folder, 'backup-scratch')), [])
})

test('the administrator makes a backup and reads how it ended; the scraper sees it, and a token may not', async () => {
  await using elsewhere = await temporaryDirectory()
  const directory = join(elsewhere.path, 'backups')
  await using gateway = await startGateway({ environment: { BACKUP_DIR: directory } })
  const admin = await gateway.signIn()
  const path = '/admin/api/backups'
  assert.equal((await admin.send('POST', path)).status, 202)
  const { body } = await eventually(
    () => admin.send('GET', path),
    (reply) => reply.body.is_running === false && reply.body.last_backup !== null,
  )
  assert.equal(body.last_attempt.error, null)
  assert.ok(body.last_backup.file.startsWith(`${directory}/inverter-`))
  const { text } = await gateway.call('GET', '/metrics')
  assert.match(text, new RegExp(`^vendor_backup_size_bytes ${body.last_backup.bytes}$`, 'm'))
  assert.match(text, /^vendor_backup_last_attempt_failed 0$/m)
  assert.equal((await gateway.call('POST', path)).status, 403)
})

test('without a directory a backup is refused with the setting that is missing', async () => {
  await using gateway = await startGateway()
  const refused = await (await gateway.signIn()).send('POST', '/admin/api/backups')
  assert.deepEqual([refused.status, refused.body.code], [409, 'conflict'])
  assert.match(refused.body.detail, /BACKUP_DIR is not set/)
  assert.doesNotMatch((await gateway.call('GET', '/metrics')).text, /vendor_backup/)
})
