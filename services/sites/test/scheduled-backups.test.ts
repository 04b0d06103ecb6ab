import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createFastTimers } from '@hearth/runtime'
import { runCommand, temporaryDirectory } from '@hearth/testing'
import { startSites } from './in-process.ts'

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
