import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { eventually, temporaryDirectory } from '@hearth/testing'
import { newestCapabilities, oldestCapabilities } from '../src/caddy/capabilities.ts'
import { compileConfig } from '../src/caddy/compile.ts'
import type { ExternalAccountView } from '../src/acme/external-accounts/schema.ts'
import type { OrderView } from '../src/acme/schema.ts'
import { startSites, type Browser } from './in-process.ts'
import { openOrderPlace, orderObstacle } from './order-place.ts'
import { startPebble } from './pebble.ts'
import { caddyObstacle, newCaddy, newCaddyObstacle, startCaddy } from './real-caddy.ts'
import { makeSite } from './site-makers.ts'

const key = Buffer.alloc(32, 7).toString('base64url')
const isDone = ({ state, records }: OrderView) => state === 'valid' && records.length === 0

interface Refusal {
  readonly detail: string
  readonly errors?: readonly { readonly field: string }[]
}

const add = (admin: Browser, json: object) =>
  admin.json<ExternalAccountView & Refusal>('POST', '/api/external-accounts', { json })

test('a key that is no base64url, a second account and other mistakes are refused by name', async () => {
  await using sites = await startSites()
  const admin = await sites.signIn()
  const right = { directory: 'https://acme.example.org/dir', key_id: 'kid-1', hmac_key: key }
  for (const [change, field] of [
    [{ hmac_key: 'a+b/c' }, 'hmac_key'],
    [{ hmac_key: 'abcde' }, 'hmac_key'],
    [{ hmac_key: '' }, 'hmac_key'],
    [{ key_id: '' }, 'key_id'],
    [{ key_id: 'two words' }, 'key_id'],
    [{ directory: 'http://acme.example.org/dir' }, 'directory'],
  ] as const) {
    const { status, body } = await add(admin, { ...right, ...change })
    assert.deepEqual([status, body.errors?.[0]?.field], [422, field], JSON.stringify(body))
  }
  const added = await add(admin, { ...right, hmac_key: `${key}=` })
  assert.deepEqual([added.status, added.body.key_id], [201, 'kid-1'])
  const second = await add(admin, right)
  assert.deepEqual([second.status, second.body.errors?.[0]?.field], [422, 'directory'])
  const path = `/api/external-accounts/${added.body.id}`
  const changed = await admin.json<Refusal>('PUT', path, { json: { key_id: 'kid-2', hmac_key: 'no key!' } })
  assert.deepEqual([changed.status, changed.body.errors?.[0]?.field], [422, 'hmac_key'])
  assert.ok(!changed.body.detail.includes('no key!'))
  assert.equal((await admin.call('PUT', path, { json: { key_id: 'kid-2', hmac_key: key } })).status, 200)
  await sites.restart()
  const list = await admin.json<{ external_accounts: ExternalAccountView[] }>('GET', '/api/external-accounts')
  assert.deepEqual(
    list.body.external_accounts.map(({ directory, key_id }) => [directory, key_id]),
    [[right.directory, 'kid-2']],
  )
  assert.ok(!JSON.stringify([list.body, added.body]).includes(key))
  for (const name of (await readdir(sites.folder)).filter((file) => file.startsWith('sites.db')))
    assert.ok(!(await readFile(join(sites.folder, name), 'latin1')).includes(key), name)
  assert.equal((await admin.call('DELETE', path)).status, 200)
  assert.equal((await admin.call('DELETE', path)).status, 404)
  assert.equal((await admin.call('PUT', path, { json: { key_id: 'kid-2', hmac_key: key } })).status, 404)
})

describe('an authority that signs for its customers only', { skip: (await orderObstacle()) ?? false }, () => {
  test('says what is missing or wrong, and issues with the right external account', async () => {
    await using place = await openOrderPlace({ externalAccounts: { 'kid-1': key } })
    const { admin, pebble } = place
    const provider = await place.addProvider()
    const { id } = await place.order({ name: 'House', domains: ['*.example.org'], provider_id: provider.id })
    const missing = await place.until(id, ({ problem }) => problem !== null)
    assert.deepEqual([missing.problem?.code, missing.step], ['external-account', 'account'])
    assert.match(missing.problem?.text ?? '', /takes only accounts that are bound .*\(external account binding\)/)
    assert.match(missing.problem?.advice ?? '', /Settings, External accounts/)
    const wrong = Buffer.alloc(32, 8).toString('base64url')
    const added = await add(admin, { directory: pebble.directory, key_id: 'kid-1', hmac_key: wrong })
    assert.equal(added.status, 201)
    const refused = await place.until(id, ({ problem }) => problem?.text.includes('kid-1') === true)
    assert.deepEqual([refused.problem?.code, refused.state], ['external-account', 'waiting'])
    assert.match(refused.problem?.text ?? '', /The external account kid-1 was not accepted: .*verification/)
    const path = `/api/external-accounts/${added.body.id}`
    assert.equal((await admin.call('PUT', path, { json: { key_id: 'unknown', hmac_key: key } })).status, 200)
    await place.until(id, ({ problem }) => /external account unknown was not accepted/.test(problem?.text ?? ''))
    assert.equal((await admin.call('PUT', path, { json: { key_id: 'kid-1', hmac_key: key } })).status, 200)
    const done = await place.until(id, isDone)
    assert.equal(done.problem, null)
    assert.match(pebble.output(), /Successful newAccount Binding with CA using kid "kid-1"/)
    // The account is there: a renewal needs no external account.
    assert.equal((await admin.call('DELETE', path)).status, 200)
    assert.equal((await admin.call('POST', `/api/certificate-orders/${id}/run`)).status, 200)
    await place.until(id, isDone)
  })

  for (const [name, binary, capabilities, obstacle] of [
    ['the oldest Caddy', '/usr/bin/caddy', oldestCapabilities, caddyObstacle()],
    ['a new Caddy', newCaddy(), newestCapabilities, newCaddyObstacle()],
  ] as const)
    test(`issues to ${name}, which shows the external account`, { skip: obstacle ?? false }, async () => {
      await using folder = await temporaryDirectory('roots')
      await using pebble = await startPebble('127.0.0.1', { PEBBLE_VA_ALWAYS_VALID: '1' }, { 'kid-1': key })
      const root = join(folder.path, 'root.pem')
      await writeFile(root, pebble.root)
      await using caddy = await startCaddy(binary, { SSL_CERT_FILE: root })
      const externalAccounts = new Map([[pebble.directory, { keyId: 'kid-1', key }]])
      const { config } = compileConfig(
        {
          sites: [makeSite(1, { domains: ['house.example.org'], kind: 'respond', respond: { body: 'house' } })],
          options: { catchAll: 'not_found', acmeCa: pebble.directory, externalAccounts },
        },
        {
          admin: { listen: caddy.adminListen },
          httpPort: caddy.httpPort,
          httpsPort: caddy.httpsPort,
          capabilities,
          storageRoot: join(caddy.directory, 'storage'),
        },
      )
      assert.equal((await caddy.load(config)).error, '')
      const { certificate } = await eventually(
        () => caddy.get('house.example.org', '/', { https: true, isSettled: true }),
        (answer) => answer.certificate?.issuer.includes('Pebble') === true,
      )
      assert.match(certificate?.names ?? '', /house\.example\.org/)
      assert.match(pebble.output(), /Successful newAccount Binding with CA using kid "kid-1"/)
    })
})
