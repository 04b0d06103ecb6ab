import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type RequestListener } from 'node:http'
import { connect, createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { createOutboundAllow, createOutboundPolicy, type Resolver } from '@hearth/outbound'
import { eventually, temporaryDirectory } from '@hearth/testing'
import type { EgressLimits } from './egress-connections.ts'
import { openEgressProxy } from './egress-proxy.ts'

/** A server of the test that counts its connections. */
async function listen(server: Server, address = '127.0.0.1', port = 0) {
  let connections = 0
  server.on('connection', (socket) => {
    connections += 1
    socket.on('error', () => undefined)
    after(() => socket.destroy())
  })
  server.listen(port, address)
  await once(server, 'listening')
  after(() => server.close())
  return { port: (server.address() as AddressInfo).port, connections: () => connections }
}

const serve = (listener: RequestListener) => listen(createServer(listener))
const toLoopback: Resolver = async () => ['127.0.0.1']

function openFor(allow: string, options: { limits?: EgressLimits; resolver?: Resolver; signal?: AbortSignal } = {}) {
  const { limits, signal, resolver = toLoopback } = options
  const policy = createOutboundPolicy(createOutboundAllow(allow.split(',')), { resolver })
  return openEgressProxy({ policy, signal, limits })
}

/** Asks the proxy for a plain http address. */
async function ask(proxy: { url: string }, url: string, options: { method?: string; body?: string } = {}) {
  const { hostname, port } = new URL(proxy.url)
  const headers = { 'proxy-connection': 'keep-alive', 'proxy-authorization': 'Basic x', 'x-end': 'kept' }
  const outgoing = request({ hostname, port, path: url, method: options.method ?? 'GET', headers, agent: false })
  outgoing.end(options.body)
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) }
}

/** Asks the proxy for a tunnel. The socket stays open when it got one. */
async function tunnel(proxy: { url: string }, target: string): Promise<{ status: string; socket: Socket }> {
  const { hostname, port } = new URL(proxy.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  after(() => socket.destroy())
  socket.write(`CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n\r\n`)
  const [head] = (await once(socket, 'data')) as [Buffer]
  return { status: head.toString('latin1').split('\r\n')[0] ?? '', socket }
}

test('plain http is forwarded without proxy headers', async () => {
  const server = await serve((incoming, response) => {
    const seen = Object.keys(incoming.headers).sort().join(' ')
    response.writeHead(201, { 'set-cookie': ['a=1', 'b=2'], 'x-seen': seen, 'keep-alive': 'timeout=9' })
    incoming.pipe(response)
  })
  await using proxy = await openFor('media.test')
  const answer = await ask(proxy, `http://media.test:${server.port}/a?b`, { method: 'POST', body: 'hello' })
  assert.deepEqual([answer.status, answer.body, answer.headers['set-cookie']], [201, 'hello', ['a=1', 'b=2']])
  assert.equal(answer.headers['x-seen'], 'connection content-length host x-end')
  assert(proxy.bytes() > 5)
  assert.deepEqual(proxy.refused(), [])
})

test('a tunnel carries bytes both ways and counts what the server sends', async () => {
  const server = await listen(createTcpServer((socket) => void socket.on('data', () => socket.write('answer'))))
  await using proxy = await openFor('media.test')
  const { status, socket } = await tunnel(proxy, `media.test:${server.port}`)
  assert.match(status, / 200 /)
  socket.write('question')
  assert.equal(String((await once(socket, 'data'))[0]), 'answer')
  assert.equal(proxy.bytes(), 6)
})

test('a slow reader gets everything sent before the server closed', async () => {
  const server = await listen(createTcpServer((socket) => void socket.end(Buffer.alloc(5_000_000))))
  await using proxy = await openFor('media.test')
  const { socket } = await tunnel(proxy, `media.test:${server.port}`)
  let received = 0
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    received += chunk.length
    await new Promise(setImmediate)
  }
  assert(received >= 4_900_000 && proxy.bytes() === 5_000_000, `${received}`)
})

test('private addresses are refused in every spelling, for tunnels and requests, without connecting', async () => {
  const target = await serve((_, response) => void response.end('secret'))
  await using proxy = await openFor('media.test:1')
  const hosts = ['127.0.0.1', '0x7f.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '169.254.169.254', 'in.test']
  for (const host of hosts) {
    assert.match((await tunnel(proxy, `${host}:443`)).status, / 403 /, host)
    assert.match((await tunnel(proxy, `${host}:${target.port}`)).status, / 403 /, host)
    assert.equal((await ask(proxy, `http://${host}/`)).status, 403, host)
  }
  assert.equal(target.connections(), 0)
  assert.equal(proxy.refused().length, hosts.length * 3)
  assert.deepEqual(proxy.refused()[0], { host: '127.0.0.1', port: 443, reason: 'address' })
  assert.equal(proxy.bytes(), 0)
})

test('a name is resolved once per connection', async () => {
  const checked = await listen(
    createTcpServer((socket) => void socket.end()),
    '127.0.0.2',
  )
  const other = await listen(
    createTcpServer((socket) => void socket.end()),
    '127.0.0.1',
    checked.port,
  )
  let asked = 0
  const resolver: Resolver = async () => [(asked += 1) === 1 ? '127.0.0.2' : '127.0.0.1']
  await using proxy = await openFor('127.0.0.2/32', { resolver })
  assert.match((await tunnel(proxy, `rebind.test:${checked.port}`)).status, / 200 /)
  assert.equal(asked, 1)
  assert.match((await tunnel(proxy, `rebind.test:${checked.port}`)).status, / 403 /)
  assert.deepEqual([checked.connections(), other.connections()], [1, 0])
})

test('a request that is not a proxy request is refused', async () => {
  await using proxy = await openFor('media.test')
  for (const url of ['/', 'https://media.test/', 'http://user:word@media.test/', 'ftp://media.test/', 'http://['])
    assert.equal((await ask(proxy, url)).status, 400, url)
  for (const target of ['media.test', 'a b:443', ':443', 'http://media.test:443', 'user@media.test:443'])
    assert.doesNotMatch((await tunnel(proxy, target)).status, / 200 /, target)
})

test('an unreachable server gives 502, not a refusal', async () => {
  const gone = createServer()
  const { port } = await listen(gone)
  gone.close()
  await using proxy = await openFor('media.test')
  assert.equal((await ask(proxy, `http://media.test:${port}/`)).status, 502)
  assert.match((await tunnel(proxy, `media.test:${port}`)).status, / 502 /)
  assert.deepEqual(proxy.refused(), [])
})

test('a run that exceeds its byte limit is cut off for good', async () => {
  const server = await serve((_, response) => {
    const more = () => {
      while (response.write(Buffer.alloc(65_536)));
    }
    response.on('drain', more).on('error', () => undefined)
    more()
  })
  await using proxy = await openFor('media.test', { limits: { maxBytes: 300_000 } })
  const url = `http://media.test:${server.port}/`
  await assert.rejects(ask(proxy, url))
  assert.equal(proxy.exhausted.aborted, true)
  assert(proxy.bytes() > 300_000 && proxy.bytes() < 600_000)
  await assert.rejects(ask(proxy, url))
  assert.equal(server.connections(), 1)
})

test('connections are limited, and idle ones are closed', async () => {
  const server = await listen(createTcpServer(() => undefined))
  await using proxy = await openFor('media.test', { limits: { connections: 2, idleMs: 200 } })
  const first = await tunnel(proxy, `media.test:${server.port}`)
  await tunnel(proxy, `media.test:${server.port}`)
  const { hostname, port } = new URL(proxy.url)
  const third = connect(Number(port), hostname)
  await once(third, 'close')
  assert.equal(server.connections(), 2)
  await once(first.socket, 'close')
  const again = await eventually(
    () => tunnel(proxy, `media.test:${server.port}`),
    ({ status }) => status.includes(' 200 '),
  )
  assert(again.status)
})

test('closing, or the end of the run, destroys every connection', async () => {
  const server = await listen(createTcpServer(() => undefined))
  const controller = new AbortController()
  const proxies = [await openFor('media.test'), await openFor('media.test', { signal: controller.signal })]
  const ends: (() => unknown)[] = [() => proxies[0]?.close(), () => controller.abort()]
  for (const [index, proxy] of proxies.entries()) {
    const { socket } = await tunnel(proxy, `media.test:${server.port}`)
    const ended = once(socket, 'close')
    ends[index]?.()
    await ended
    await eventually(
      () =>
        tunnel(proxy, 'media.test:1').then(
          () => 'open',
          () => 'closed',
        ),
      (state) => state === 'closed',
    )
    await proxy.close()
  }
  await assert.rejects(openFor('media.test', { signal: controller.signal }))
})

/** Runs the tool as the service does: through the proxy, with nothing of its own. */
async function runYtDlp(proxy: { url: string }, folder: string, url: string) {
  const child = spawn(
    'yt-dlp',
    [
      '--ignore-config',
      '--no-plugin-dirs',
      '--no-cache-dir',
      '--proxy',
      proxy.url,
      '--retries',
      '0',
      '--extractor-retries',
      '0',
      '--use-extractors',
      'generic',
      '-o',
      join(folder, 'source.%(ext)s'),
      '--',
      url,
    ],
    { env: { PATH: process.env['PATH'], HOME: folder }, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close'), text(child.stdout)])
  return { code: code as number | null, stderr }
}

test('yt-dlp downloads through the proxy, which refuses redirects into the private network', async () => {
  await using folder = await temporaryDirectory('egress')
  const target = await serve((_, response) => void response.end('secret'))
  const media = Buffer.alloc(50_000, 7)
  const server = await serve((incoming, response) => {
    if (incoming.url === '/away.mp4')
      response.writeHead(302, { location: `http://127.0.0.1:${target.port}/metadata.mp4` }).end()
    else response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': media.length }).end(media)
  })
  await using proxy = await openFor(`media.test:${server.port}`)
  const good = await runYtDlp(proxy, folder.path, `http://media.test:${server.port}/good.mp4`)
  assert.equal(good.code, 0, good.stderr)
  assert.deepEqual(await readFile(join(folder.path, 'source.mp4')), media)
  assert(proxy.bytes() >= media.length)
  assert.deepEqual(proxy.refused(), [])
  const away = await runYtDlp(proxy, folder.path, `http://media.test:${server.port}/away.mp4`)
  assert.equal(away.code, 1)
  assert.deepEqual(proxy.refused()[0], { host: '127.0.0.1', port: target.port, reason: 'address' })
  assert.equal(target.connections(), 0)
})
