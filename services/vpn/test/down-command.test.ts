import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort, runCommand, startServiceProcess, temporaryDirectory } from '@hearth/testing'

/** Runs a service with three interfaces, one of them on a node that has not joined; resolves when it has ended. */
async function serveInterfaces(environment: Record<string, string>): Promise<void> {
  const words = ['vpn', 'token', 'create', '--user', 'admin', '--name', 'script', '--permissions', 'full']
  const { stdout: token } = await runCommand(words, environment)
  await using service = await startServiceProcess('vpn', environment)
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${token.trim()}`, 'content-type': 'application/json' }
    const reply = await fetch(`${service.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    assert.ok(reply.ok, await reply.clone().text())
    // oxlint-disable-next-line typescript/no-explicit-any -- a body of the API
    return ((await reply.json()) as any).data
  }
  const { node } = await post('/api/nodes', { name: 'Berlin' })
  for (const [index, more] of [{}, {}, { node_id: node.id }].entries())
    await post('/api/interfaces', { name: `wg${index}`, address: `10.${80 + index}.0.1/24`, dns: '9.9.9.9', ...more })
}

test('down takes away what runs here under its own key, says so, and leaves the rest', async () => {
  await using folder = await temporaryDirectory('down')
  const environment = {
    WIREGUARD_BACKEND: 'simulated',
    DATA_DIR: folder.path,
    VPN_NODES_LISTEN: `127.0.0.1:${await freePort()}`,
  }
  const file = join(folder.path, 'simulated-devices.json')
  const read = async () => JSON.parse(await readFile(file, 'utf8'))
  await serveInterfaces(environment)
  const devices = await read()
  assert.deepEqual(Object.keys(devices).toSorted(), ['wg0', 'wg1'], 'a stop leaves them up')
  // Another program has taken the name of one; a node on this host runs the third.
  const foreign = { ...devices.wg1, publicKey: Buffer.alloc(32, 7).toString('base64') }
  await writeFile(file, JSON.stringify({ ...devices, wg1: foreign, wg2: devices.wg0 }))

  const { code, stdout, stderr } = await runCommand(['vpn', 'down'], environment)
  assert.deepEqual([code, stdout], [0, ''])
  assert.match(stderr, /^wg0 is down$/m)
  assert.match(stderr, /^wg1 has another key and is left alone$/m)
  assert.doesNotMatch(stderr, /wg2/)
  assert.deepEqual(Object.keys(await read()).toSorted(), ['wg1', 'wg2'])
  const again = await runCommand(['vpn', 'down'], environment)
  assert.equal(again.code, 0, 'nothing is left to do')
})

test('down refuses while the service runs, and the tunnels go on', async () => {
  await using folder = await temporaryDirectory('down')
  const environment = { WIREGUARD_BACKEND: 'simulated', DATA_DIR: folder.path }
  await using service = await startServiceProcess('vpn', environment)
  const { code, stderr } = await runCommand(['vpn', 'down'], environment)
  assert.notEqual(code, 0)
  assert.equal(stderr.trim().split('\n').length, 1, stderr)
  assert.equal((await fetch(`${service.url}/health`)).status, 200)
})
