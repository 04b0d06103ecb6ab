import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually, runCommand, startServiceProcess, startWebhookReceiver, temporaryDirectory } from '@hearth/testing'
import { startService, testPassword, type TestService } from './in-process.ts'

async function startWithPeer(environment: Record<string, string> = {}) {
  const service = await startService(environment)
  await service.call('POST', '/api/interfaces', { name: 'wg0', address: '10.8.0.1/24', listen_port: 51_820 })
  const peer = await service.call('POST', '/api/peers', { name: 'Ada’s phone', interface: 'wg0' })
  assert.equal(peer.status, 201, peer.text)
  return { service, peer: peer.body.data, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

async function makeLink(service: TestService, peerId: string, body: object = {}) {
  const made = await service.call('POST', `/api/peers/${peerId}/setup-links`, body)
  assert.equal(made.status, 201, made.text)
  return { id: made.body.data.id, url: made.body.data.url, value: made.body.data.url.split('#')[1] }
}

const redeem = (service: TestService, link: unknown, from = '127.0.0.1') =>
  service.send('POST', '/api/setup', { body: { link }, from })

test('a device gets its configuration for a link, once, and administrators see who got it', async () => {
  await using world = await startWithPeer({ PUBLIC_URL: 'https://vpn.example.org' })
  const { service, peer } = world
  const { url, value } = await makeLink(service, peer.id)
  assert.equal(url, `https://vpn.example.org/setup#${value}`)
  const reply = await redeem(service, value, '192.0.2.7')
  assert.equal(reply.status, 200, reply.text)
  assert.equal(reply.headers['cache-control'], 'no-store')
  const { text } = await service.call('GET', `/api/peers/${peer.id}/config`)
  assert.deepEqual(reply.body.data, {
    name: 'Ada’s phone',
    file_name: 'Ada-s-phone.conf',
    configuration: text,
    standby: null,
  })
  const again = await redeem(service, value, '192.0.2.8')
  assert.equal(again.status, 404)
  assert.equal(again.body.message, 'This link does not work any more. Ask for a new one.')
  const { data } = (await service.call('GET', `/api/peers/${peer.id}/setup-links`)).body
  assert.deepEqual(
    data.map((link: Record<string, unknown>) => [link['status'], link['created_by'], link['used_from']]),
    [['used', 'admin', '192.0.2.7']],
  )
})

test('used, revoked, unknown and malformed values of a link get the same answer', async () => {
  await using world = await startWithPeer()
  const { service, peer } = world
  const [used, revoked] = [await makeLink(service, peer.id), await makeLink(service, peer.id)]
  assert.equal((await redeem(service, used.value)).status, 200)
  assert.equal((await service.call('DELETE', `/api/setup-links/${revoked.id}`)).body.data.status, 'revoked')
  const values = [used.value, revoked.value, 'A'.repeat(43), '', '../../etc/passwd', '<script>alert(1)</script>', '%00']
  const answers = await Promise.all(values.map((value) => redeem(service, value)))
  assert.equal(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1)
  for (const value of [7, null, {}, ['x'], 'x'.repeat(257), 'a\0b']) {
    const refused = await redeem(service, value)
    assert.equal(refused.status, 422, JSON.stringify(value))
    assert.equal(refused.body.details.fields[0].path, 'link')
  }
})

test('a link works for 24 hours unless its maker says otherwise, and for 30 days at most', async () => {
  await using world = await startWithPeer()
  const { service, peer } = world
  const hoursOf = async (body: object) => {
    const { data } = (await service.call('POST', `/api/peers/${peer.id}/setup-links`, body)).body
    return (Date.parse(data.expires_at) - Date.parse(data.created_at)) / 3_600_000
  }
  assert.deepEqual([await hoursOf({}), await hoursOf({ expires_in_hours: 720 })], [24, 720])
  for (const hours of [0, 721, -1, 1.5, '24', null]) {
    const refused = await service.call('POST', `/api/peers/${peer.id}/setup-links`, { expires_in_hours: hours })
    assert.equal(refused.status, 422, String(hours))
    assert.equal(refused.body.details.fields[0].path, 'expires_in_hours')
  }
})

test('a link goes with its peer, and a peer that does not exist has none', async () => {
  await using world = await startWithPeer()
  const { service, peer } = world
  const { id, value } = await makeLink(service, peer.id)
  await service.call('DELETE', `/api/peers/${peer.id}`)
  assert.equal((await redeem(service, value)).status, 404)
  assert.equal((await service.call('DELETE', `/api/setup-links/${id}`)).status, 404)
  assert.equal((await service.call('GET', `/api/peers/${peer.id}/setup-links`)).status, 404)
  assert.equal((await service.call('POST', `/api/peers/${peer.id}/setup-links`, {})).status, 404)
})

test('a peer with a key of its device gets no link, and the answer says why', async () => {
  await using world = await startWithPeer()
  const { service, peer } = world
  await service.call('PUT', `/api/peers/${peer.id}`, { public_key: 'hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo=' })
  const refused = await service.call('POST', `/api/peers/${peer.id}/setup-links`, {})
  assert.equal(refused.status, 409)
  assert.match(refused.body.message, /^The private key of Ada’s phone is on the device and not here/)
  assert.equal(refused.body.details.field, 'public_key')
})

test('guessing is stopped after five attempts of an address in a minute, and other addresses are not', async () => {
  await using world = await startWithPeer({ RATE_LIMIT_EXEMPT: '' })
  const { service, peer } = world
  const { value } = await makeLink(service, peer.id)
  const attempts = []
  for (let index = 0; index < 6; index += 1) attempts.push(await redeem(service, `guess-${index}`, '198.51.100.1'))
  assert.deepEqual(
    attempts.map(({ status }) => status),
    [404, 404, 404, 404, 404, 429],
  )
  assert.equal((await redeem(service, value, '198.51.100.1')).status, 429, 'the right one too')
  assert.equal((await redeem(service, value, '198.51.100.2')).status, 200)
})

test('another site cannot redeem a link through somebody’s browser', async () => {
  await using world = await startWithPeer()
  const { service, peer } = world
  const { value } = await makeLink(service, peer.id)
  const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
  assert.equal((await service.send('POST', '/api/setup', { body: { link: value }, headers })).status, 403)
  assert.equal((await redeem(service, value)).status, 200)
})

test('the security log and notifications tell that links were made, revoked and used', async () => {
  await using receiver = await startWebhookReceiver()
  await using world = await startWithPeer({ OUTBOUND_ALLOW: '127.0.0.1', PUBLIC_URL: 'https://vpn.example.org' })
  const { service, peer } = world
  const target = { kind: 'webhook', url: receiver.url, secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}` }
  const rules = { classes: ['peer.setup-link-used'], minimum_severity: 'info', time_zone: 'UTC' }
  await service.call('POST', '/api/notifications/destinations', {
    name: 'Hook',
    is_enabled: true,
    target,
    rules: { ...rules, quiet_hours: null, digest: { every: 'message' } },
  })
  const [first, second] = [await makeLink(service, peer.id), await makeLink(service, peer.id)]
  await service.call('DELETE', `/api/setup-links/${first.id}`)
  await redeem(service, second.value, '192.0.2.7')
  const admin = await service.signIn('admin', testPassword)
  const { data } = (await admin.send('GET', '/api/security-log?limit=4&search=phone')).body
  assert.deepEqual(
    data.map((event: Record<string, unknown>) => [event['kind'], event['username'], event['target']]),
    [
      ['setup_link_used', null, 'Ada’s phone'],
      ['setup_link_revoked', 'admin', 'Ada’s phone'],
      ['setup_link_created', 'admin', 'Ada’s phone'],
      ['setup_link_created', 'admin', 'Ada’s phone'],
    ],
  )
  assert.equal(data[0].address, '192.0.2.7')
  const log = (await admin.send('GET', '/api/security-log/export?format=jsonl')).text
  assert.ok(!log.includes(first.value) && !log.includes(second.value))
  const title = 'The set-up link of Ada’s phone was used'
  await eventually(receiver.titles, (titles) => titles.includes(title), { what: 'the notification' })
})

test('the value of a link is in no log line, file or backup, and a backup does not bring a link back', async () => {
  await using folder = await temporaryDirectory()
  const environment = { DATA_DIR: folder.path, WIREGUARD_BACKEND: 'simulated', LOG_LEVEL: 'trace' }
  await using running = await startServiceProcess('vpn', environment)
  const words = ['vpn', 'token', 'create', '--user', 'admin', '--name', 'x', '--permissions', 'full']
  const authorization = `Bearer ${(await runCommand(words, environment)).stdout.trim()}`
  const post = async (path: string, body: object, headers: Record<string, string> = { authorization }) => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } }
    const reply = await fetch(`${running.url}${path}`, { ...init, body: JSON.stringify(body) })
    return { status: reply.status, data: ((await reply.json()) as { data: Record<string, string> }).data }
  }
  await post('/api/interfaces', { name: 'wg0', address: '10.8.0.1/24', listen_port: 51_820, enabled: false })
  const peer = await post('/api/peers', { name: 'phone', interface: 'wg0' })
  const make = async () => {
    const { data } = await post(`/api/peers/${peer.data['id']}/setup-links`, {})
    assert.match(data['url'] ?? '', new RegExp(`^${running.url}/setup#`), 'without PUBLIC_URL at the address in use')
    return data['url']?.split('#')[1] ?? ''
  }
  const [open, used] = [await make(), await make()]
  const backup = join(folder.path, 'backup.gz')
  assert.equal((await runCommand(['vpn', 'backup', backup], environment)).code, 0)
  assert.equal((await post('/api/setup', { link: used }, {})).status, 200)
  assert.equal((await post('/api/setup', { link: used }, {})).status, 404)
  await running.stop()
  const output = [...running.stdout, ...running.stderr].join('\n')
  const entries = await readdir(folder.path, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const contents = await Promise.all(files.map((entry) => readFile(join(entry.parentPath, entry.name))))
  for (const value of [open, used]) assert.ok(!`${output}${Buffer.concat(contents).toString('latin1')}`.includes(value))

  assert.equal((await runCommand(['vpn', 'restore', backup], environment)).code, 0)
  await using service = await startService({}, folder.path)
  for (const value of [open, used]) assert.equal((await redeem(service, value)).status, 404)
})
