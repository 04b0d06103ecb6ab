import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { runCommand, startServiceProcess, temporaryDirectory } from '@hearth/testing'
import { foreignPeer, newKeys, piVpn } from './foreign-servers.ts'

test('`hearth vpn import` takes a folder over while the service is stopped, and its start brings the tunnel up', async () => {
  await using folder = await temporaryDirectory('import')
  const data = join(folder.path, 'data')
  const etc = join(folder.path, 'wireguard')
  const server = newKeys()
  const v6 = (last: number) => `fd11:5ee:bad:c0de::${last}`
  for (const { name, content } of piVpn(server, [
    foreignPeer('tablet', '10.6.0.2', v6(2)),
    foreignPeer('tv', '10.6.0.3', v6(3)),
  ])) {
    const file = join(etc, name)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, Buffer.from(content, 'base64'))
  }
  await writeFile(join(etc, 'clients.txt'), 'tablet …')
  const environment = { DATA_DIR: data, WIREGUARD_BACKEND: 'simulated' }
  const run = (...args: string[]) => runCommand(['vpn', 'import', ...args], environment)

  const trial = await run(etc, '--dry-run')
  assert.equal(trial.code, 0, trial.stderr)
  assert.match(trial.stdout, /^wg0 \(wg-quick\): 10\.6\.0\.1\/24, UDP port 51820, 2 peers\n/)
  assert.match(trial.stdout, /nothing was, because of --dry-run\n$/)
  const made = await run(join(etc, 'wg0.conf'), join(etc, 'configs'), '--name', 'wg0=home')
  assert.equal(made.code, 0, made.stderr)
  assert.match(made.stdout, /2 peers created; start the service to bring them up\n$/)
  const again = await run(etc, '--name', 'wg0=home')
  assert.equal(again.code, 1)
  assert.match(again.stdout, /cannot be: name: The interface home exists\n/)
  for (const { stdout, stderr } of [trial, made, again]) assert.ok(!(stdout + stderr).includes(server.privateKey))
  assert.match((await run(join(etc, 'clients.txt'))).stderr, /clients\.txt: line 1: is neither/)
  assert.match((await run(join(folder.path, 'nowhere'))).stderr, /nowhere: there is no such file/)

  await using service = await startServiceProcess('vpn', environment)
  const busy = await run(etc)
  assert.match(busy.stderr, /is in use by another running service/)
  const { code, stdout: token } = await runCommand(
    ['vpn', 'token', 'create', '--user', 'admin', '--name', 'test', '--permissions', 'read-only'],
    environment,
  )
  assert.equal(code, 0)
  const answer = await fetch(`${service.url}/api/interfaces`, { headers: { authorization: `Bearer ${token.trim()}` } })
  const [on] = ((await answer.json()) as { data: Record<string, unknown>[] }).data
  assert.deepEqual(
    [on?.['name'], on?.['status'], on?.['public_key'], on?.['peer_count']],
    ['home', 'active', server.publicKey, 2],
  )
})
