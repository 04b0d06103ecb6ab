import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCommand, startServiceProcess, temporaryDirectory } from '@hearth/testing'

test('restore --check tells beside the running service what a backup contains, and refuses one that is of no use', async () => {
  await using folder = await temporaryDirectory()
  const environment = { WIREGUARD_BACKEND: 'simulated', DATA_DIR: join(folder.path, 'data') }
  await using service = await startServiceProcess('vpn', environment)
  const file = join(folder.path, 'backup')
  assert.equal((await runCommand(['vpn', 'backup', file], environment)).code, 0)
  const password = join(folder.path, 'password')
  await writeFile(password, 'tall-giraffe-on-ice-7\n')
  const user = ['--username', 'ada', '--email', 'ada@example.org', '--role', 'user', '--password-file', password]
  const created = await runCommand(['vpn', 'user', 'create', ...user], environment)
  assert.equal(created.code, 0, created.stderr)

  const check = await runCommand(['vpn', 'restore', '--check', file], environment)
  assert.deepEqual([check.code, check.stderr], [0, ''])
  assert.match(check.stdout, /backup of vpn from 20/)
  assert.match(check.stdout, /^ +1 users$/m)
  assert.match(check.stdout, /can be restored: \d+ rows\n$/)
  assert.equal((await fetch(`${service.url}/health`)).status, 200)
  const after = join(folder.path, 'after')
  assert.equal((await runCommand(['vpn', 'backup', after], environment)).code, 0)
  const two = await runCommand(['vpn', 'restore', '--check', after], environment)
  assert.match(two.stdout, /^ +2 users$/m, 'the check replaced nothing')

  const damaged = join(folder.path, 'damaged')
  const content = await readFile(file)
  await writeFile(
    damaged,
    content.map((byte, at) => (at === content.length - 40 ? byte ^ 1 : byte)),
  )
  const refused = await runCommand(['vpn', 'restore', '--check', damaged], environment)
  assert.deepEqual([refused.code, refused.stdout], [1, ''])
  assert.match(refused.stderr, /cannot be read/)
  const foreign = { ...environment, DATA_DIR: join(folder.path, 'foreign') }
  const other = await runCommand(['vpn', 'restore', '--check', file], foreign)
  assert.deepEqual([other.code, /key/.test(other.stderr)], [1, true])
  assert.equal(existsSync(foreign.DATA_DIR), false)
})
