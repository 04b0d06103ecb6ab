import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { hasCapability } from './host-facts.ts'

const netAdmin = 12n
const obstacle =
  process.geteuid?.() === 0 && spawnSync('setpriv', ['--version']).status === 0
    ? false
    : 'needs root and the program setpriv'

test('an account without root may change the network when it has CAP_NET_ADMIN', { skip: obstacle }, () => {
  const statusWith = (capabilities: string) => {
    const sets = [`--inh-caps=-all${capabilities}`, `--ambient-caps=-all${capabilities}`]
    const args = ['--reuid=65534', '--regid=65534', '--clear-groups', ...sets, 'cat', '/proc/self/status']
    return spawnSync('setpriv', args, { encoding: 'utf8' }).stdout
  }
  assert.equal(hasCapability(statusWith(',+net_admin,+net_bind_service'), netAdmin), true)
  assert.equal(hasCapability(statusWith(',+net_bind_service'), netAdmin), false)
  assert.equal(hasCapability('', netAdmin), false)
})
