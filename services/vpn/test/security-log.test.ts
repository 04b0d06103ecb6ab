import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SecurityEvent } from '@hearth/accounts/security-log-schema'
import { runCommand, temporaryDirectory, type SignedIn } from '@hearth/testing'
import { startService, testPassword, type TestService } from './in-process.ts'

type Event = Pick<SecurityEvent, 'kind' | 'username' | 'address' | 'method' | 'reason' | 'target' | 'detail'>

const read = async (browser: SignedIn, query = ''): Promise<Event[]> =>
  (await browser.send('GET', `/api/security-log?limit=100${query}`)).body.data

const wrongPassword = (service: TestService, username: string, from: string) =>
  service.send('POST', '/api/session', { body: { username, password: 'a-wrong-guess' }, from })

test('the log says who did what, from where and how; others than administrators read their own part', async () => {
  await using service = await startService()
  const { id } = await service.addUser('reader', 'user')
  const admin = await service.signIn('admin', testPassword)
  await service.token(admin, 'read-only', { name: 'backup job' })
  await admin.send('PUT', `/api/users/${id}`, { body: { role: 'admin' } })
  await admin.send('PUT', `/api/users/${id}`, { body: { role: 'user' } })
  assert.equal((await wrongPassword(service, 'reader', '192.0.2.7')).status, 401)
  assert.equal((await wrongPassword(service, 'hunter2-typed-here', '192.0.2.7')).status, 401)
  const reader = await service.signIn('reader', testPassword, '192.0.2.8')
  const change = { current_password: 'not-mine', new_password: 'another-tall-giraffe-8' }
  await reader.send('POST', '/api/session/password', { body: change })
  await reader.send('POST', '/api/session/password', { body: { ...change, current_password: testPassword } })

  const all = await read(admin)
  assert.ok(!JSON.stringify(all).includes('hunter2'), 'a name that nobody has is stored')
  const about = all.map(({ kind, username, target, detail }) => [kind, username, target, detail])
  for (const expected of [
    ['token_created', 'admin', 'backup job', 'read-only, expires: 1y'],
    ['user_created', 'admin', 'reader', 'role: user'],
    ['rights_changed', 'admin', 'reader', 'role: admin'],
    ['sign_in_failed', null, null, null],
  ])
    assert.ok(
      about.some((found) => JSON.stringify(found) === JSON.stringify(expected)),
      `${expected.join()} is missing`,
    )

  const own = await read(reader)
  assert.deepEqual(
    own.map(({ kind, username, address, method, reason }) => [kind, username, address, method, reason]),
    [
      ['password_changed', 'reader', '192.0.2.8', null, null],
      ['sign_in_failed', 'reader', '192.0.2.8', null, 'wrong_current_password'],
      ['sign_in', 'reader', '192.0.2.8', 'password', null],
      ['sign_in_failed', 'reader', '192.0.2.7', null, 'invalid_credentials'],
    ],
  )
  assert.deepEqual(
    (await read(admin, '&kind=sign_in_failed&search=192.0.2.7')).map(({ kind, address }) => [kind, address]),
    [
      ['sign_in_failed', '192.0.2.7'],
      ['sign_in_failed', '192.0.2.7'],
    ],
  )
  const files = await Promise.all(
    ['csv', 'jsonl'].map((format) => reader.send('GET', `/api/security-log.${format}?kind=sign_in`)),
  )
  assert.match(files[0]?.text ?? '', /^at,kind,username.*\n[^,]+,sign_in,reader,192\.0\.2\.8,.*\n$/)
  assert.match(files[1]?.text ?? '', /^\{"id":"[^\n]+"kind":"sign_in"[^\n]+\}\n$/)
})

test('what the command line changes is in the log of the service', async () => {
  await using folder = await temporaryDirectory()
  const environment = { DATA_DIR: folder.path, WIREGUARD_BACKEND: 'simulated' }
  await runCommand(
    ['vpn', 'token', 'create', '--user', 'admin', '--name', 'cron', '--permissions', 'full'],
    environment,
  )
  const password = (await runCommand(['vpn', 'reset-admin-password'], environment)).stdout.trim()
  await using service = await startService({}, folder.path)
  const first = await service.signIn('admin', password)
  const body = { current_password: password, new_password: testPassword }
  await first.send('POST', '/api/session/password', { body })
  const events = await read(await service.signIn('admin', testPassword))
  assert.deepEqual(
    events.filter(({ method }) => method === 'command_line').map(({ kind, target, detail }) => [kind, target, detail]),
    [
      ['password_changed', 'admin', null],
      ['token_created', 'cron', 'of admin: full, expires: 1y'],
    ],
  )
})
