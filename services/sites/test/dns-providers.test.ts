import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runCommand, temporaryDirectory } from '@hearth/testing'
import { join } from 'node:path'
import type { DnsProviderView } from '../src/acme/schema.ts'
import { startSites, type Browser } from './in-process.ts'

const webhook = {
  name: 'Hook',
  kind: 'webhook',
  settings: { url: 'https://dns.example.org/', token: 'a-secret-token' },
}

interface Refusal {
  readonly detail: string
  readonly errors?: readonly { readonly field: string; readonly message: string }[]
}

const post = (admin: Browser, json: object) =>
  admin.json<DnsProviderView & Refusal>('POST', '/api/dns-providers', { json })

test('a wrong setting is refused with its name, and no secret is in the answer', async () => {
  await using sites = await startSites()
  const admin = await sites.signIn()
  for (const [json, field] of [
    [{ ...webhook, kind: 'pigeon' }, 'kind'],
    [{ ...webhook, settings: {} }, 'settings.url'],
    [{ ...webhook, settings: { url: 'ftp://a' } }, 'settings.url'],
    [{ ...webhook, settings: { ...webhook.settings, colour: 'red' } }, 'settings.colour'],
    [{ ...webhook, settings: { ...webhook.settings, token: 'with space' } }, 'settings.token'],
    [{ name: 'C', kind: 'cloudflare', settings: {} }, 'settings.token'],
  ] as const) {
    const { status, body } = await post(admin, json)
    assert.deepEqual([status, body.errors?.[0]?.field], [422, field], JSON.stringify(body))
    assert.ok(!JSON.stringify(body).includes('secret-token'))
  }
  const added = await post(admin, webhook)
  assert.deepEqual([added.status, added.body.settings], [201, { url: 'https://dns.example.org/' }])
})

test('a secret stays when it is left out, but not for another address', async () => {
  await using sites = await startSites()
  const admin = await sites.signIn()
  const { id } = (await post(admin, { ...webhook, kind: 'acme-dns', settings: acmeDns })).body
  const change = (json: object) => admin.json<DnsProviderView & Refusal>('PATCH', `/api/dns-providers/${id}`, { json })
  assert.equal((await change({ name: 'Renamed' })).body.name, 'Renamed')
  const { password, ...shown } = acmeDns
  const renamed = await change({ settings: { ...shown, username: 'bob' } })
  assert.deepEqual([renamed.status, renamed.body.settings['username']], [200, 'bob'])
  const elsewhere = await change({ settings: { ...shown, url: 'https://evil.example.net' } })
  assert.deepEqual([elsewhere.status, elsewhere.body.errors?.[0]?.field], [422, 'settings.password'])
  assert.equal((await change({ settings: { ...shown, url: 'https://new.example.org', password } })).status, 200)
})

const acmeDns = { url: 'https://auth.example.org', subdomain: 'd4', username: 'ada', password: 'a-secret-password' }

test('an order needs a provider and names that can be proved', async () => {
  await using sites = await startSites()
  const admin = await sites.signIn()
  const { id } = (await post(admin, webhook)).body
  const order = { name: 'House', domains: ['*.example.org'], provider_id: id }
  for (const [json, field] of [
    [{ ...order, provider_id: 'none' }, 'provider_id'],
    [{ ...order, domains: [] }, 'domains'],
    [{ ...order, domains: ['192.0.2.1'] }, 'domains.0'],
    [{ ...order, domains: ['a.example.org', 'house.internal'] }, 'domains.1'],
    [{ ...order, domains: ['not a name'] }, 'domains.0'],
    [{ ...order, directory: 'http://ca.example.org/dir' }, 'directory'],
    [{ ...order, name: '' }, 'name'],
  ] as const) {
    const refused = await admin.json<Refusal>('POST', '/api/certificate-orders', { json })
    assert.deepEqual([refused.status, refused.body.errors?.[0]?.field], [422, field], JSON.stringify(refused.body))
  }
  assert.equal((await admin.call('GET', '/api/certificate-orders/none')).status, 404)
  assert.equal((await admin.call('POST', '/api/certificate-orders/none/run')).status, 404)
})

test('a backup brings providers and orders back, with their secrets', async () => {
  await using folder = await temporaryDirectory('restored')
  await using sites = await startSites({ DNS_RESOLVERS: '127.0.0.1:9' })
  const admin = await sites.signIn()
  const { id } = (await post(admin, webhook)).body
  const json = { name: 'House', domains: ['a.example.org'], provider_id: id, directory: 'https://127.0.0.1:9/dir' }
  assert.equal((await admin.call('POST', '/api/certificate-orders', { json })).status, 201)
  const file = join(folder.path, 'backup')
  assert.equal((await runCommand(['sites', 'backup', file], { DATA_DIR: sites.folder })).code, 0)
  const restored = join(folder.path, 'data')
  const key = join(sites.folder, 'secret.key')
  const { code, stderr } = await runCommand(['sites', 'restore', file], { DATA_DIR: restored, SECRET_KEY_FILE: key })
  assert.equal(code, 0, stderr)
  await using again = await startSites({ SECRET_KEY_FILE: key }, { folder: restored })
  const back = await again.signInAs('admin')
  const orders = await back.json<{ orders: { name: string }[] }>('GET', '/api/certificate-orders')
  assert.deepEqual(
    orders.body.orders.map(({ name }) => name),
    ['House'],
  )
  // Opening it needs its secret.
  const change = await back.json<DnsProviderView>('PATCH', `/api/dns-providers/${id}`, { json: { name: 'Restored' } })
  assert.deepEqual([change.status, change.body.settings], [200, { url: 'https://dns.example.org/' }])
})
