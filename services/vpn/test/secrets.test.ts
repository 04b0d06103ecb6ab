import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createLog } from '@hearth/runtime'
import { runCommand, startServiceProcess, temporaryDirectory } from '@hearth/testing'
import { readConfig } from '../src/config.ts'
import { openService } from '../src/open-service.ts'
import { openapiDocument } from '../src/openapi.ts'
import { startService, testPassword } from './in-process.ts'

/** Everything in a data directory but the key file, as one text. */
async function everythingIn(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const names = entries.filter((entry) => entry.isFile() && entry.name !== 'secret.key')
  const files = await Promise.all(names.map((entry) => readFile(join(entry.parentPath, entry.name))))
  return Buffer.concat(files).toString('latin1')
}

test('neither the data directory nor a backup contains a plain key, token or password', async () => {
  await using service = await startService()
  await service.call('POST', '/api/interfaces', {
    name: 'wg0',
    address: '10.8.0.1/24',
    listen_port: 51_820,
    enabled: false,
  })
  const peer = (await service.call('POST', '/api/peers', { name: 'phone', interface: 'wg0' })).body.data
  const { text } = await service.call('GET', `/api/peers/${peer.id}/config`)
  const secrets = [...text.matchAll(/^(?:PrivateKey|PresharedKey) = (\S+)$/gm)].map(([, key]) => key ?? '')
  assert.equal(secrets.length, 2)
  const cookie = (await service.signIn('admin', testPassword)).cookie.split('=')[1] ?? ''
  const backup = join(service.folder, 'backup.gz')
  assert.equal((await runCommand(['vpn', 'backup', backup], { DATA_DIR: service.folder })).code, 0)
  const found = await everythingIn(service.folder)
  for (const secret of [...secrets, service.admin, cookie, testPassword]) assert.ok(!found.includes(secret))
  assert.ok(found.includes(peer.public_key), 'the search does find what is there')
  const content = (await readFile(backup)).toString('latin1')
  assert.ok(!content.includes(peer.public_key) && !content.includes('phone'), 'a backup tells nothing without the key')
})

test('the files are readable by their owner only', async () => {
  await using folder = await temporaryDirectory()
  const environment = { DATA_DIR: join(folder.path, 'data'), WIREGUARD_BACKEND: 'simulated' }
  await using service = await startServiceProcess('vpn', environment)
  assert.equal((await stat(environment.DATA_DIR)).mode & 0o777, 0o700)
  const names = await readdir(environment.DATA_DIR, { recursive: true })
  assert.ok(names.includes('dns/settings.json'))
  assert.ok(names.includes('secret.key') && names.includes('initial-admin-password') && names.includes('vpn.db'))
  for (const name of names) assert.equal((await stat(join(environment.DATA_DIR, name))).mode & 0o077, 0, name)
  assert.ok(service.url)
})

test('the first password is in the banner and its file, and the file is deleted at the first change', async () => {
  await using folder = await temporaryDirectory()
  const config = readConfig({ DATA_DIR: folder.path, WIREGUARD_BACKEND: 'simulated' })
  const file = join(folder.path, 'initial-admin-password')
  const first = await openService(config, createLog({ name: 'test', level: 'silent' }))
  assert.equal(await readFile(file, 'utf8'), `${first.firstPassword}\n`)
  await first.close()
  const second = await openService(config, createLog({ name: 'test', level: 'silent' }))
  assert.equal(second.firstPassword, first.firstPassword, 'it is made once, and shown until it is changed')
  await second.close()
  assert.ok(existsSync(file))
  await using service = await startService({}, folder.path)
  const browser = await service.signIn('admin', first.firstPassword ?? '')
  const before = await browser.send('GET', '/api/peers')
  assert.equal(before.status, 403)
  assert.equal(before.body.details.reason, 'password_change_required')
  const token = await browser.send('POST', '/api/session/tokens', { body: { name: 'x', permissions: 'full' } })
  assert.deepEqual([token.status, token.body.details.reason], [403, 'password_change_required'])
  const weak = await browser.send('POST', '/api/session/password', {
    body: { current_password: first.firstPassword, new_password: 'password1' },
  })
  assert.equal(weak.status, 422)
  assert.equal(weak.body.details.fields[0].path, 'new_password')
  const other = await service.signIn('admin', first.firstPassword ?? '')
  const changed = await browser.send('POST', '/api/session/password', {
    body: { current_password: first.firstPassword, new_password: testPassword },
  })
  assert.equal(changed.status, 200)
  assert.equal(existsSync(file), false)
  assert.equal((await other.send('GET', '/api/session')).status, 401, 'other sessions have ended')
  assert.equal(
    (await browser.send('PUT', '/api/settings', { body: { default_mtu: 1400 } })).status,
    200,
    'this one goes on',
  )
  assert.equal((await (await service.signIn('admin', testPassword)).send('GET', '/api/peers')).status, 200)
})

test('a wrong key prevents the start in one line and changes nothing', async () => {
  await using folder = await temporaryDirectory()
  const environment = { DATA_DIR: folder.path, WIREGUARD_BACKEND: 'simulated' }
  await (await startServiceProcess('vpn', environment)).stop()
  const key = join(folder.path, 'secret.key')
  const content = await readFile(key, 'utf8')
  const refused = async (change: () => Promise<void>, message: RegExp, more: Record<string, string> = {}) => {
    await change()
    const { code, stderr } = await runCommand(['vpn', 'serve'], { ...environment, BIND_PORT: '0', ...more })
    assert.equal(code, 1)
    assert.match(stderr, message)
    assert.equal(stderr.trim().split('\n').length, 1, stderr)
  }
  await refused(() => writeFile(key, Buffer.alloc(32, 1).toString('base64')), /SECRET_KEY: the key is not the one/)
  await refused(() => rm(key), /SECRET_KEY_FILE: .* is missing/)
  await refused(() => writeFile(key, content), /SECRET_KEY: the key is not the one/, { SECRET_KEY: 'ab'.repeat(32) })
  assert.equal(await (await startServiceProcess('vpn', environment)).stop(), 0)
})

test('tokens in URLs and wrong passwords reach no log line, at any level', async () => {
  await using folder = await temporaryDirectory()
  const environment = { DATA_DIR: folder.path, WIREGUARD_BACKEND: 'simulated', LOG_LEVEL: 'trace' }
  await using service = await startServiceProcess('vpn', environment)
  const { stdout } = await runCommand(
    ['vpn', 'token', 'create', '--user', 'admin', '--name', 'x', '--permissions', 'full'],
    environment,
  )
  const token = stdout.trim()
  for (const path of ['/api/peers', '/api/none', '/api/peers/x', '/none', '/api/peers/%E0%A4%A']) {
    const reply = await fetch(`${service.url}${path}?token=${token}`)
    assert.ok(!(await reply.text()).includes(token))
  }
  await fetch(`${service.url}/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"username":"admin","password":"my-secret-guess"}',
  })
  await service.stop()
  const log = [...service.stdout, ...service.stderr].join('\n')
  assert.ok(!log.includes(token) && !log.includes('my-secret-guess'))
})

test('only configuration, QR code and a new token have response fields for secrets', async () => {
  const document = JSON.stringify(await openapiDocument())
  const { components } = JSON.parse(document)
  const { Peer, Interface, User, Token, Settings, Dashboard, ServiceEvent, Session } = components.schemas
  const answers = JSON.stringify([Peer, Interface, User, Token, Settings, Dashboard, ServiceEvent, Session])
  assert.deepEqual(answers.match(/"(private_key|preshared_key|password|password_hash|hash|token)":/g), null)
})

test('configuration and QR code responses are not cacheable', async () => {
  await using service = await startService()
  await service.call('POST', '/api/interfaces', { name: 'wg0', address: '10.8.0.1/24', listen_port: 51_820 })
  const peer = (await service.call('POST', '/api/peers', { name: 'phone', interface: 'wg0' })).body.data
  for (const path of ['config', 'qrcode']) {
    assert.equal((await service.call('GET', `/api/peers/${peer.id}/${path}`)).headers['cache-control'], 'no-store')
  }
})

test('the key can be replaced; a crash in between leaves a service that starts', async () => {
  await using service = await startService()
  await service.call('POST', '/api/interfaces', { name: 'wg0', address: '10.8.0.1/24', listen_port: 51_820 })
  const peer = (await service.call('POST', '/api/peers', { name: 'phone', interface: 'wg0' })).body.data
  const config = (await service.call('GET', `/api/peers/${peer.id}/config`)).text
  const destination = await service.call('POST', '/api/notifications/destinations', {
    name: 'Phone',
    is_enabled: true,
    target: { kind: 'ntfy', server: 'http://127.0.0.1:9/', topic: 'home', token: 'tk_1' },
    rules: { classes: [], minimum_severity: 'info', time_zone: 'UTC', quiet_hours: null, digest: { every: 'message' } },
  })
  assert.equal(destination.status, 201)
  const { admin, folder } = service
  const rotate = () => runCommand(['vpn', 'rotate-key'], { DATA_DIR: folder })
  assert.match((await rotate()).stderr, /in use by another running service/)
  await service.stop()
  const file = join(folder, 'secret.key')
  const before = await readFile(file, 'utf8')
  const { code, stderr } = await rotate()
  assert.equal(code, 0, stderr)
  const after = await readFile(file, 'utf8')
  assert.notEqual(after, before)
  // As after a crash between the last write to the database and the new file taking its place.
  await writeFile(`${file}.next`, after)
  await writeFile(file, before)
  await using again = await startService({}, folder)
  assert.equal((await again.send('GET', `/api/peers/${peer.id}/config`, { token: admin })).text, config)
  assert.equal(await readFile(file, 'utf8'), after)
  const { body } = await again.send('GET', '/api/notifications/destinations', { token: admin })
  assert.equal(body.data.destinations[0].target.topic, 'home')
})
