import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { Client, eventually, firstSecret, hearth, isFirst } from './client.ts'

const client = new Client(8101)
await client.openPage()
if (isFirst) {
  const password = firstSecret('vpn', 'initial-admin-password')
  await client.call('POST', '/api/session', { username: 'admin', password })
}
const words = ['--user', 'admin', '--name', `trial ${Date.now()}`, '--permissions', 'full']
const program = new Client(8101)
program.headers['authorization'] = `Bearer ${hearth('vpn', 'token', 'create', ...words)}`
if (isFirst) {
  await program.call('POST', '/api/interfaces', { name: 'wg0', address: '10.8.0.1/24' })
  await program.call('POST', '/api/peers', { name: 'phone', interface: 'wg0' })
}
const { data: interfaces } = await program.call<{ data: { name: string; status: string; status_reason: unknown }[] }>(
  'GET',
  '/api/interfaces',
)
assert.deepEqual(
  interfaces.map(({ name, status, status_reason: reason }) => [name, status, reason]),
  [['wg0', 'active', null]],
)
if (existsSync('/dev/net/tun')) assert.match(readText('/trial/vpn.log'), /"backend":"(kernel|userspace)"/)
const { data } = await program.call<{ data: { peers: { name: string }[] } }>('GET', '/api/peers')
assert.deepEqual(
  data.peers.map(({ name }) => name),
  ['phone'],
)

// Where the limit of the unit could be set, the thread that answers DNS goes first.
const limits = globSync('/proc/[0-9]*/limits').map((file) => /^Max nice priority +(\d+)/m.exec(readText(file))?.[1])
if (limits.includes('30'))
  await eventually(async () => {
    const fields = globSync('/proc/[0-9]*/task/*/stat').map((file) => readText(file).split(') ')[1]?.split(' ') ?? [])
    assert.ok(
      fields.some((field) => field[16] === '-10'),
      'no thread has priority',
    )
  })

/** The text of a file, empty when it is gone. */
function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
