import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SecurityEvent } from '@hearth/accounts/security-log-schema'
import { startGateway } from './in-process.ts'

test('the log says who signed in, what was refused, and which rights changed; tokens do not read it', async () => {
  await using gateway = await startGateway()
  const admin = await gateway.signIn()
  const body = { username: 'admin', password: 'a-wrong-guess' }
  assert.equal((await gateway.send('POST', '/admin/api/session', { body, from: '192.0.2.7' })).status, 401)
  await gateway.allowWriting('battery_soc_target')
  await admin.send('PUT', '/admin/api/write-access', { body: { enabled: false } })
  const created = await admin.send('POST', '/admin/api/tokens', { body: { name: 'wallbox', role: 'read_write' } })
  await admin.send('DELETE', `/admin/api/tokens/${created.body.id}`)

  const page = await admin.send('GET', '/admin/api/security-log?limit=100')
  const events: SecurityEvent[] = page.body.events
  const about = (event: SecurityEvent) =>
    [event.kind, event.username, event.method, event.target, event.detail].join('|')
  const found = events.map(about)
  for (const expected of [
    'sign_in|admin|password||',
    'password_changed|admin|||',
    'sign_in_failed|admin|||',
    'rights_changed||command_line|write access|on',
    'rights_changed||command_line|writable metrics|approved: battery_soc_target',
    'rights_changed|admin||write access|off',
    'token_created|admin||wallbox|read and write, expires: 90d',
    'token_revoked|admin||wallbox|',
  ])
    assert.ok(found.includes(expected), `${expected} is missing in ${found.join('\n')}`)
  assert.equal(events.find(({ kind }) => kind === 'sign_in_failed')?.address, '192.0.2.7')
  assert.equal((await gateway.call('GET', '/admin/api/security-log')).status, 403)
  const file = await admin.send('GET', '/admin/api/security-log.csv?kind=token_revoked')
  assert.match(file.text, /^at,kind,.*\n[^\n]*,token_revoked,admin,[^\n]*\n$/)
})
