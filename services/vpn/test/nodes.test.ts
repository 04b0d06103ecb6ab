import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile, stat } from 'node:fs/promises'
import { createServer, request } from 'node:https'
import { connect as connectPlain } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { connect } from 'node:tls'
import { freePort } from '@hearth/testing'
import { createAuthorityCertificate, createCertificateRequest, signNodeCertificate } from '../src/nodes/certificates.ts'
import { ControlLink } from '../src/node-agent/control-link.ts'
import { linkPaths, maxLinkBody, ReportAnswer } from '../src/nodes/link-schema.ts'
import { startService } from './in-process.ts'
import { reportAs, startWithNodes } from './nodes-fixture.ts'

const unknownToken = /This join token does not work/
const unknownHost = /is not a node of this service, or it was removed/

test('a host joins with its token, once, reports, and is listed; its key and the token are on no other host', async () => {
  await using world = await startWithNodes()
  const { node, token, url, command } = await world.add('Berlin')
  assert.deepEqual([node.status, node.joined_at], ['waiting', null])
  assert.match(token, /^hvnode_[A-Za-z0-9]{44}\.[0-9a-f]{64}$/)
  assert.equal(new URL(url).port, String(world.port))
  assert.equal(command, `hearth vpn node join ${url} --token-file -`)

  const identity = await world.join('berlin', `${token}\n`)
  assert.deepEqual([identity.id, identity.name], [node.id, 'Berlin'])
  const file = join(world.service.folder, 'hosts/berlin/node.json')
  assert.equal(((await stat(file)).mode & 0o777).toString(8), '600')
  assert.equal(await reportAs(identity), 'Berlin')
  const [joined] = await world.list()
  assert.deepEqual(
    [joined?.status, joined?.address, joined?.version, joined?.join_token_expires_at],
    ['connected', '127.0.0.1', '0.1.0', null],
  )
  assert.match((await world.service.send('GET', '/metrics')).text, /^hearth_vpn_node_up\{node="Berlin"\} 1$/m)
  await assert.rejects(world.join('other', token), unknownToken)
  assert.equal(await reportAs(identity), 'Berlin', 'the one that joined stays the node')

  const stored = (await readFile(join(world.service.folder, 'vpn.db'))).toString('latin1')
  const wal = (await readFile(join(world.service.folder, 'vpn.db-wal')).catch(() => Buffer.alloc(0))).toString('latin1')
  for (const secret of [token.split('.')[0] ?? '', identity.key.split('\n')[1] ?? ''])
    assert.ok(secret.length > 30 && !`${stored}${wal}`.includes(secret))
  const kinds = (await world.service.call('GET', '/api/security-log')).body.data.map(
    ({ kind }: { kind: string }) => kind,
  )
  assert.deepEqual(kinds.slice(0, 2), ['node_joined', 'node_added'])
})

test('a token that has ended, was replaced or is not whole makes no node, and stays unused when the host cannot join', async () => {
  await using world = await startWithNodes()
  const { node, token } = await world.add('Berlin')
  await assert.rejects(world.join('a', token.slice(0, -1)), /this is no join token, or not the whole of it/)
  await assert.rejects(world.join('a', token.replace('hvnode_', 'hvnode_x')), /this is no join token/)
  await assert.rejects(world.join('a', token, { url: 'http://127.0.0.1:1' }), /URL: must be an address such as https/)
  await assert.rejects(world.join('a', token, { url: 'https://me:word@127.0.0.1' }), /URL: must be an address/)
  await assert.rejects(world.join('a', token, { url: `https://127.0.0.1:${await freePort()}` }), /cannot be reached/)

  const renewed = await world.service.call('POST', `/api/nodes/${node.id}/join-token`, { expires_in_hours: 1 })
  assert.equal(renewed.status, 201, renewed.text)
  await assert.rejects(world.join('a', token), unknownToken)
  using database = new DatabaseSync(join(world.service.folder, 'vpn.db'), { timeout: 10_000 })
  database.exec('update node_join_tokens set expires_at = expires_at - 3600000')
  await assert.rejects(world.join('a', renewed.body.data.token), unknownToken)
  assert.equal((await world.list())[0]?.status, 'waiting')
})

test('tokens cannot be tried out: an address has ten attempts a minute', async () => {
  await using world = await startWithNodes()
  const { token } = await world.add('Berlin')
  const attempt = () =>
    send(world.port, '/v1/join', JSON.stringify({ token: 'x', certificate_request: '', version: '' }))
  const statuses = []
  for (let count = 0; count < 11; count += 1) statuses.push((await attempt()).status)
  assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 403), 429])
  await assert.rejects(world.join('a', token), /Too many requests/)
})

test('who has no certificate, one of another authority, or that of a removed node, is refused', async () => {
  await using world = await startWithNodes()
  const [berlin, paris] = [await world.add('Berlin'), await world.add('Paris')]
  const identity = await world.join('berlin', berlin.token)
  const other = await world.join('paris', paris.token)
  const { url, authority } = identity
  await assert.rejects(reportAs({ url, authority }), unknownHost)

  const foreign = await createAuthorityCertificate()
  const { request: asked, key } = await createCertificateRequest()
  const certificate = await signNodeCertificate(foreign, { request: asked, id: identity.id })
  assert.ok(certificate !== undefined)
  await assert.rejects(reportAs({ url, authority, certificate, key }), unknownHost)
  await assert.rejects(reportAs({ ...identity, key }), 'a certificate without its key')

  const removed = await world.service.call('DELETE', `/api/nodes/${identity.id}`)
  assert.equal(removed.status, 200)
  await assert.rejects(reportAs(identity), unknownHost)
  assert.equal(await reportAs(other), 'Paris')
})

test('a removed node is refused on a connection that it has already', async () => {
  await using world = await startWithNodes()
  const identity = await world.join('a', (await world.add('Berlin')).token)
  const link = new ControlLink(identity)
  const report = () => link.send(linkPaths.report, { version: '0.1.0' }, { answer: ReportAnswer })
  try {
    assert.deepEqual(await report(), { name: 'Berlin' })
    await world.service.call('DELETE', `/api/nodes/${identity.id}`)
    await assert.rejects(report(), unknownHost)
  } finally {
    link.close()
  }
})

test('a host that joins again with a new token replaces the one before', async () => {
  await using world = await startWithNodes()
  const { node, token } = await world.add('Berlin')
  const before = await world.join('host', token)
  const { token: next } = (await world.service.call('POST', `/api/nodes/${node.id}/join-token`, {})).body.data
  assert.equal(await reportAs(before), 'Berlin', 'it goes on until the token is used')
  await assert.rejects(world.join('host', next), /holds the identity of a node already/)
  const after = await world.join('host', next, { isReplaced: true })
  assert.equal(after.id, before.id)
  assert.equal(await reportAs(after), 'Berlin')
  await assert.rejects(reportAs(before), unknownHost)
})

test('a host sends nothing to a service that is not the one of its token, and no node passes for the service', async () => {
  await using world = await startWithNodes()
  await using other = await startWithNodes()
  const { token } = await world.add('Berlin')
  await assert.rejects(world.join('a', token, { url: other.url }), /is not the service that made the token/)
  const identity = await world.join('a', token)
  await assert.rejects(reportAs({ ...identity, url: other.url }), /certificate/)

  let requests = 0
  const impostor = createServer({ cert: identity.certificate, key: identity.key }, (_, response) => {
    requests += 1
    response.end('{"name":"x"}')
  })
  const port = await freePort()
  await new Promise<void>((resolve) => void impostor.listen(port, '127.0.0.1', resolve))
  try {
    await assert.rejects(reportAs({ ...identity, url: `https://127.0.0.1:${port}` }))
    assert.equal(requests, 0)
  } finally {
    impostor.close()
  }
})

test('what is no request of a node is refused, and the next one is answered', async () => {
  await using world = await startWithNodes()
  const { token } = await world.add('Berlin')
  const identity = await world.join('a', token)
  const cases: [string, string, number, RegExp][] = [
    ['/v1/report', 'x'.repeat(maxLinkBody.report + 1), 413, /more than 1048576 bytes/],
    ['/v1/report', '{', 422, /body/],
    ['/v1/report', '{"version":7}', 422, /version/],
    ['/v1/report', JSON.stringify({ version: 'x'.repeat(65) }), 422, /version/],
    ['/v1/other', '{}', 404, /does not know this request/],
    ['/api/nodes', '{}', 404, /does not know this request/],
  ]
  for (const [path, body, status, message] of cases) {
    const reply = await send(world.port, path, body, identity)
    assert.equal(reply.status, status, `${path} ${reply.text}`)
    assert.match(reply.text, message)
  }
  const older = connect({ port: world.port, host: '127.0.0.1', maxVersion: 'TLSv1.2', rejectUnauthorized: false })
  await assert.rejects(new Promise((resolve, reject) => older.once('secureConnect', resolve).once('error', reject)))
  assert.equal(await reportAs(identity), 'Berlin')
})

test('a connection that never ends its handshake does not keep the service from stopping', async () => {
  await using world = await startWithNodes()
  const socket = connectPlain(world.port, '127.0.0.1')
  await once(socket, 'connect')
  const begin = performance.now()
  await world.service.stop()
  assert.ok(performance.now() - begin < 8000, 'the handshake may take 10 seconds')
  socket.destroy()
})

test('nodes have different names, and are renamed', async () => {
  await using world = await startWithNodes()
  const { node } = await world.add('Berlin')
  await world.add('Paris')
  const taken = await world.service.call('POST', '/api/nodes', { name: 'BERLIN' })
  assert.equal(taken.status, 409, taken.text)
  const rename = (name: string) => world.service.call('PUT', `/api/nodes/${node.id}`, { name })
  assert.equal((await rename('paris')).status, 409)
  assert.equal((await rename('')).status, 422)
  assert.equal((await rename('Rome')).status, 200)
  assert.deepEqual(
    (await world.list()).map(({ name }) => name),
    ['Paris', 'Rome'],
  )
})

test('without VPN_NODES_LISTEN there are no nodes; an address that is taken is named', async () => {
  await using service = await startService()
  assert.deepEqual((await service.call('GET', '/api/nodes')).body.data, { enabled: false, nodes: [] })
  const reply = await service.call('POST', '/api/nodes', { name: 'Berlin' })
  assert.equal(reply.status, 409)
  assert.match(reply.text, /set VPN_NODES_LISTEN/)

  await using world = await startWithNodes()
  await assert.rejects(
    startService({ VPN_NODES_LISTEN: `127.0.0.1:${world.port}` }),
    /VPN_NODES_LISTEN: cannot listen on 127\.0\.0\.1, port \d+: another program uses the port/,
  )
})

/** Sends a request to the address of nodes, with the certificate of a node if one is given. */
function send(
  port: number,
  path: string,
  body: string,
  identity?: { certificate: string; key: string },
): Promise<{ status: number; text: string }> {
  const own = identity === undefined ? {} : { cert: identity.certificate, key: identity.key }
  return new Promise((resolve, reject) => {
    const sent = request({
      host: '127.0.0.1',
      port,
      path,
      method: 'POST',
      rejectUnauthorized: false,
      agent: false,
      ...own,
    })
    sent.once('error', reject)
    sent.once('response', async (response) => {
      const pieces = await response.toArray()
      resolve({ status: response.statusCode ?? 0, text: Buffer.concat(pieces as Buffer[]).toString() })
    })
    sent.end(body)
  })
}
