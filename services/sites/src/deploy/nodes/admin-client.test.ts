import assert from 'node:assert/strict'
import { join } from 'node:path'
import { createServer, type Server } from 'node:http'
import { execa } from 'execa'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { createLog, systemTimers } from '@hearth/runtime'
import { temporaryDirectory } from '@hearth/testing'
import { AdaptFailed } from '../../sites/raw/adapt.ts'
import { createAdminClient } from './admin-client.ts'
import { AdminUnknown, AdminUnreachable, nearestOf } from './admin-request.ts'
import { startCaddyProcess } from './caddy-process.ts'

async function startCaddy() {
  const place = await temporaryDirectory()
  const log = createLog({ name: 'test', level: 'silent' })
  const caddy = await startCaddyProcess({ folder: place.path, program: 'caddy', log, timers: systemTimers })
  return {
    client: createAdminClient(caddy.admin),
    admin: { listen: `unix/${join(place.path, 'admin.sock')}` },
    async [Symbol.asyncDispose]() {
      await caddy.close()
      await place[Symbol.asyncDispose]()
    },
  }
}

async function listen(server: Server) {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { kind: 'tcp', host: '127.0.0.1', port: (server.address() as AddressInfo).port } as const
}

test('a configuration is replaced only if it is still the one that was read', async () => {
  await using caddy = await startCaddy()
  const { client, admin } = caddy
  const before = await client.readConfig()
  const first = { admin, apps: { http: { grace_period: 1 } } }
  assert.deepEqual(await client.replaceConfig(first, before.etag), { kind: 'accepted' })
  assert.deepEqual(await client.replaceConfig({ admin }, before.etag), { kind: 'changed' })
  assert.deepEqual((await client.readConfig()).config, first)
})

test('a refused configuration changes nothing and returns Caddy’s message', async () => {
  await using caddy = await startCaddy()
  const { client, admin } = caddy
  const { etag, config } = await client.readConfig()
  const outcome = await client.replaceConfig({ admin, apps: { unheard: {} } }, etag)
  assert.equal(outcome.kind, 'rejected')
  assert.match(outcome.kind === 'rejected' ? outcome.text : '', /unheard/)
  assert.deepEqual((await client.readConfig()).config, config)
  assert.match(await client.tryConfig({ admin, apps: { unheard: {} } }), /unheard/)
})

test('a Caddyfile is adapted, or refused with a message', async () => {
  await using caddy = await startCaddy()
  const { config } = await caddy.client.adapt('example.org {\n\trespond hello\n}\n')
  assert.match(JSON.stringify(config), /example\.org/)
  await assert.rejects(caddy.client.adapt('example.org {\n\tnonsense\n}\n'), AdaptFailed)
  assert.deepEqual(await caddy.client.upstreams(), [])
})

test('a refused connection is distinguished from a missing response', async () => {
  const closed = createAdminClient({ kind: 'tcp', host: '127.0.0.1', port: 9 })
  await assert.rejects(closed.readConfig(), AdminUnreachable)
  await assert.rejects(closed.replaceConfig({}, undefined), AdminUnreachable)
  await using server = createServer((incoming) => incoming.socket.destroy())
  const broken = createAdminClient(await listen(server))
  await assert.rejects(broken.readConfig(), AdminUnreachable)
  await assert.rejects(broken.replaceConfig({}, undefined), AdminUnknown)
})

test('redirects are not followed', async () => {
  let asked = 0
  await using other = createServer((_incoming, answer) => {
    asked += 1
    answer.end('{}')
  })
  const target = await listen(other)
  await using server = createServer((_incoming, answer) => {
    answer.writeHead(302, { location: `http://127.0.0.1:${target.port}/config/` }).end()
  })
  await assert.rejects(createAdminClient(await listen(server)).readConfig(), AdminUnknown)
  assert.equal(asked, 0)
})

test('a name that resolves to a public or metadata address is not an admin endpoint', () => {
  const at = (...addresses: string[]) => addresses.map((address) => ({ address }))
  assert.equal(nearestOf('caddy', at('8.8.8.8', '10.0.0.5', '10.0.0.6')), '10.0.0.5')
  for (const far of [[], ['8.8.8.8'], ['169.254.169.254'], ['fe80::1', '100.100.100.200'], ['::ffff:169.254.169.254']])
    assert.throws(() => nearestOf('caddy', at(...far)), /leads to no address of this machine/)
})

test('proxy variables of the environment are ignored', async () => {
  const asked = { proxy: 0, caddy: 0 }
  await using proxy = createServer((_incoming, answer) => {
    asked.proxy += 1
    answer.end()
  })
  await using server = createServer((_incoming, answer) => {
    asked.caddy += 1
    answer.setHeader('etag', '"1"').end('{"apps":{}}')
  })
  const [place, target] = [await listen(proxy), await listen(server)]
  const url = `http://127.0.0.1:${place.port}`
  const client = JSON.stringify(new URL('admin-client.ts', import.meta.url).href)
  const script = `const { createAdminClient } = await import(${client})
    const { config, etag } = await createAdminClient(${JSON.stringify(target)}).readConfig()
    console.log(JSON.stringify({ config, etag }))`
  const env = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: url, http_proxy: url, NO_PROXY: '', no_proxy: '' }
  const { stdout } = await execa(process.execPath, ['--input-type=module', '--eval', script], { env, timeout: 20_000 })
  assert.deepEqual(JSON.parse(stdout), { config: { apps: {} }, etag: '"1"' })
  assert.deepEqual(asked, { proxy: 0, caddy: 1 })
})
