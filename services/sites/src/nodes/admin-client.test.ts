import assert from 'node:assert/strict'
import { join } from 'node:path'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { createLog, systemTimers } from '@hearth/runtime'
import { temporaryDirectory } from '@hearth/testing'
import { AdaptFailed, createAdminClient } from './admin-client.ts'
import { AdminUnknown, AdminUnreachable } from './admin-request.ts'
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

test('a configuration is replaced only when it still is the one that was read', async () => {
  await using caddy = await startCaddy()
  const { client, admin } = caddy
  const before = await client.readConfig()
  const first = { admin, apps: { http: { grace_period: 1 } } }
  assert.deepEqual(await client.replaceConfig(first, before.etag), { kind: 'accepted' })
  assert.deepEqual(await client.replaceConfig({ admin }, before.etag), { kind: 'changed' })
  assert.deepEqual((await client.readConfig()).config, first)
})

test('what Caddy refuses changes nothing, and is told in its words', async () => {
  await using caddy = await startCaddy()
  const { client, admin } = caddy
  const { etag, config } = await client.readConfig()
  const outcome = await client.replaceConfig({ admin, apps: { unheard: {} } }, etag)
  assert.equal(outcome.kind, 'rejected')
  assert.match(outcome.kind === 'rejected' ? outcome.text : '', /unheard/)
  assert.deepEqual((await client.readConfig()).config, config)
  assert.match(await client.tryConfig({ admin, apps: { unheard: {} } }), /unheard/)
})

test('a Caddyfile is adapted, or refused in words', async () => {
  await using caddy = await startCaddy()
  const { config } = await caddy.client.adapt('example.org {\n\trespond hello\n}\n')
  assert.match(JSON.stringify(config), /example\.org/)
  await assert.rejects(caddy.client.adapt('example.org {\n\tnonsense\n}\n'), AdaptFailed)
  assert.deepEqual(await caddy.client.upstreams(), [])
})

test('nobody there is told apart from nobody answering', async () => {
  const closed = createAdminClient({ kind: 'tcp', host: '127.0.0.1', port: 9 })
  await assert.rejects(closed.readConfig(), AdminUnreachable)
  await assert.rejects(closed.replaceConfig({}, undefined), AdminUnreachable)
  await using server = createServer((incoming) => incoming.socket.destroy())
  const broken = createAdminClient(await listen(server))
  await assert.rejects(broken.readConfig(), AdminUnreachable)
  await assert.rejects(broken.replaceConfig({}, undefined), AdminUnknown)
})

test('no redirect is followed', async () => {
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
