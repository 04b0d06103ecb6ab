import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCommand, temporaryDirectory } from '@hearth/testing'
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
