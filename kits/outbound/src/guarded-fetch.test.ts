import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net'
import { after, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { selfSignedCertificate } from '@hearth/testing'
import {
  allowAddresses,
  createGuardedFetch,
  createOpenGuarded,
  createOutboundAllow,
  createOutboundPolicy,
  OutboundFailed,
  OutboundRefused,
  type Resolver,
} from './index.ts'

/** A server of the test that counts its connections. */
async function listen(server: Server, address = '127.0.0.1', port = 0) {
  let connections = 0
  server.on('connection', (socket) => {
    connections += 1
    after(() => socket.destroy())
  })
  server.listen(port, address)
  await once(server, 'listening')
  after(() => server.close())
  return { port: (server.address() as AddressInfo).port, connections: () => connections }
}

const serve = (listener: RequestListener, address?: string, port?: number) =>
  listen(createServer(listener), address, port)

const toLoopback: Resolver = async () => ['127.0.0.1']
const policyFor = (allow: string, resolver = toLoopback) =>
  createOutboundPolicy(createOutboundAllow(allow.split(',')), { resolver })
const fetchFor = (allow: string, resolver = toLoopback) => createGuardedFetch(policyFor(allow, resolver))
const failed = (kind: string) => (error: unknown) => error instanceof OutboundFailed && error.kind === kind
const refused = (reason: string) => (error: unknown) => error instanceof OutboundRefused && error.reason === reason

test('a request to an allowed server returns its response', async () => {
  const server = await serve((request, response) => {
    response.setHeader(
      'x-seen',
      `${request.method} ${request.url} ${request.headers['host']} ${String(request.headers['x-a'])}`,
    )
    response.writeHead(404, { 'content-type': 'text/plain' }).end('not here')
  })
  const fetch = fetchFor('list.test')
  const answer = await fetch(`http://list.test:${server.port}/a?b=c#d`, { headers: { 'X-A': '1' } })
  assert.equal(answer.status, 404)
  assert.equal(answer.headers.get('x-seen'), `GET /a?b=c list.test:${server.port} 1`)
  assert.equal(Buffer.from(answer.body).toString(), 'not here')
  assert.equal(answer.url, `http://list.test:${server.port}/a?b=c#d`)
})

test('a request body is sent', async () => {
  const server = await serve((request, response) => void request.pipe(response))
  const answer = await fetchFor('list.test')(`http://list.test:${server.port}/`, { method: 'POST', body: 'hello' })
  assert.equal(Buffer.from(answer.body).toString(), 'hello')
})

test('a name is resolved once, so that a later DNS change has no effect', async () => {
  const first = await serve((_, response) => void response.end('checked'), '127.0.0.2')
  const second = await serve((_, response) => void response.end('another'), '127.0.0.1', first.port)
  let asked = 0
  const rebinding: Resolver = async () => [(asked += 1) === 1 ? '127.0.0.2' : '127.0.0.1']
  const answer = await fetchFor('127.0.0.2/32', rebinding)(`http://rebind.test:${first.port}/`)
  assert.equal(Buffer.from(answer.body).toString(), 'checked')
  assert.deepEqual([asked, second.connections()], [1, 0])
  await assert.rejects(fetchFor('127.0.0.2/32', rebinding)(`http://rebind.test:${first.port}/`), refused('address'))
  assert.equal(second.connections(), 0)
})

test('a redirect into the private network is refused without connecting', async () => {
  const target = await serve((_, response) => void response.end('secret'))
  let location = ''
  const source = await serve((_, response) => void response.writeHead(302, { location }).end())
  const resolver: Resolver = async (host) => [host === 'platform.test' ? '127.0.0.1' : '10.0.0.1']
  const fetch = fetchFor(`platform.test:${source.port}`, resolver)
  const before = source.connections()
  for (const host of [
    '127.0.0.1',
    'localhost',
    '2130706433',
    '169.254.169.254',
    '[::ffff:10.0.0.1]',
    '[::1]',
    'in.test',
  ])
    for (const port of [target.port, 80]) {
      location = `http://${host}:${port}/latest?token=secret`
      await assert.rejects(fetch(`http://platform.test:${source.port}/`, { redirects: 3 }), (error) => {
        assert(error instanceof OutboundRefused, location)
        assert(!error.message.includes('secret'))
        return true
      })
    }
  assert.equal(target.connections(), 0)
  assert.equal(source.connections(), before + 14)
})

test('redirects are followed only when enabled, up to a limit', async () => {
  const server = await serve((request, response) => {
    const step = Number(request.url?.slice(1))
    if (step > 0) response.writeHead(302, { location: `/${step - 1}` }).end('moved')
    else response.end('there')
  })
  const fetch = fetchFor('list.test')
  const at = (step: number) => `http://list.test:${server.port}/${step}`
  const plain = await fetch(at(1))
  assert.deepEqual([plain.status, plain.headers.get('location')], [302, '/0'])
  const followed = await fetch(at(3), { redirects: 3 })
  assert.deepEqual([followed.status, followed.url], [200, at(0)])
  await assert.rejects(fetch(at(4), { redirects: 3 }), failed('too-many-redirects'))
  const posted = await fetch(at(1), { method: 'POST', body: 'x', redirects: 3 })
  assert.equal(posted.status, 302)
})

test('a redirect to another server drops the credentials', async () => {
  const seen: (string | undefined)[] = []
  const other = await serve((request, response) => {
    seen.push(request.headers.authorization, request.headers.cookie, request.headers.accept)
    response.end()
  })
  const first = await serve((request, response) => {
    seen.push(request.headers.authorization)
    const location = request.url === '/' ? '/again' : `http://other.test:${other.port}/`
    response.writeHead(307, { location }).end()
  })
  await fetchFor('first.test,other.test')(`http://first.test:${first.port}/`, {
    redirects: 2,
    headers: { Authorization: 'Bearer x', Cookie: 'a=b', Accept: 'text/plain' },
  })
  assert.deepEqual(seen, ['Bearer x', 'Bearer x', undefined, undefined, 'text/plain'])
})

test('other schemes and credentials in a URL are refused, also in redirects', async () => {
  let location = ''
  const server = await serve((_, response) => void response.writeHead(301, { location }).end())
  const fetch = fetchFor('list.test')
  await assert.rejects(fetch('ftp://list.test/'), refused('scheme'))
  await assert.rejects(fetch('http://user:word@list.test/'), refused('credentials'))
  location = 'file:///etc/passwd'
  await assert.rejects(fetch(`http://list.test:${server.port}/`, { redirects: 1 }), refused('scheme'))
  location = 'http://user@list.test/'
  await assert.rejects(fetch(`http://list.test:${server.port}/`, { redirects: 1 }), refused('credentials'))
  location = 'http://['
  await assert.rejects(fetch(`http://list.test:${server.port}/`, { redirects: 1 }), failed('unreadable-answer'))
})

test('a body is decompressed, and its limit applies to the decompressed size', async () => {
  const bodies: Record<string, [string, Buffer]> = {
    '/gzip': ['gzip', gzipSync('hello')],
    '/br': ['br', brotliCompressSync('hello')],
    '/bomb': ['gzip', gzipSync(Buffer.alloc(20_000_000))],
    '/hollow': ['gzip', Buffer.concat(Array.from({ length: 1000 }, () => gzipSync('')))],
    '/broken': ['gzip', Buffer.from('this is no gzip')],
    '/cut': ['gzip', gzipSync('hello').subarray(0, 12)],
    '/unknown': ['lzma', Buffer.from('x')],
    '/plain': ['identity', Buffer.alloc(11_000)],
  }
  const server = await serve((request, response) => {
    const [encoding, body] = bodies[request.url ?? '']!
    response.writeHead(200, { 'content-encoding': encoding }).end(body)
  })
  const get = (path: string) => fetchFor('list.test')(`http://list.test:${server.port}${path}`, { maxBytes: 10_000 })
  assert.equal(Buffer.from((await get('/gzip')).body).toString(), 'hello')
  assert.equal(Buffer.from((await get('/br')).body).toString(), 'hello')
  for (const path of ['/bomb', '/hollow', '/plain']) await assert.rejects(get(path), failed('too-large'), path)
  for (const path of ['/broken', '/cut', '/unknown']) await assert.rejects(get(path), failed('unreadable-answer'), path)
})

test('a stream ends at its limit and can be closed early', async () => {
  const server = await serve((_, response) => {
    response.on('error', () => undefined)
    const more = () => {
      while (response.write(Buffer.alloc(65_536)));
    }
    response.on('drain', more)
    more()
  })
  const open = createOpenGuarded(policyFor('list.test'))
  const url = `http://list.test:${server.port}/`
  let received = 0
  await assert.rejects(async () => {
    await using stream = await open(url, { maxBytes: 1_000_000 })
    for await (const chunk of stream.body) received += chunk.length
  }, failed('too-large'))
  assert(received <= 1_000_000)
  await using untouched = await open(url)
  assert.equal(untouched.status, 200)
})

test('a server that stops responding at any point times out, and the caller can abort earlier', async () => {
  const mute = await listen(createTcpServer(() => undefined))
  const stalling = await serve((_, response) => void response.writeHead(200).write('first'))
  const fetch = fetchFor('list.test')
  for (const { port } of [mute, stalling]) {
    const url = `http://list.test:${port}/`
    await assert.rejects(fetch(url, { timeoutMs: 150 }), failed('timeout'))
    const controller = new AbortController()
    const waiting = fetch(url, { signal: controller.signal })
    setTimeout(() => controller.abort(new Error('the job was cancelled')), 50)
    await assert.rejects(waiting, /the job was cancelled/)
    await assert.rejects(fetch(url, { signal: controller.signal }), /the job was cancelled/)
  }
})

test('a server that is down or closes the connection early is reported as unreachable', async () => {
  const breaking = await listen(createTcpServer((socket) => void socket.once('data', () => socket.destroy())))
  const halfway = await serve((_, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('some')
    setTimeout(() => response.destroy(), 20)
  })
  const gone = createServer()
  const { port } = await listen(gone)
  gone.close()
  for (const wrong of [breaking.port, halfway.port, port])
    await assert.rejects(fetchFor('list.test')(`http://list.test:${wrong}/?token=secret`), (error) => {
      assert(failed('unreachable')(error), String(error))
      assert.equal((error as Error).message, 'list.test cannot be reached')
      return true
    })
  assert.equal(breaking.connections(), 1)
})

test('TLS verifies the host name; a redirect to http is refused unless the operator configured the host', async () => {
  const { key, certificate } = selfSignedCertificate('secure.test')
  setDefaultCACertificates([...getCACertificates('default'), certificate])
  const plain = await serve((_, response) => void response.end('plain'))
  let location = ''
  let name: unknown
  const server = createTlsServer({ key, cert: certificate }, (request, response) => {
    name = (request.socket as { servername?: unknown }).servername
    response.writeHead(302, { location }).end()
  })
  const { port } = await listen(server)
  const url = `https://secure.test:${port}/`
  const fetch = fetchFor(`secure.test,plain.test:${plain.port}`, async (host) =>
    host === 'public.test' ? ['1.1.1.1'] : ['127.0.0.1'],
  )
  assert.equal((await fetch(url)).status, 302)
  assert.equal(name, 'secure.test')
  location = 'http://public.test/'
  await assert.rejects(fetch(url, { redirects: 1 }), refused('downgrade'))
  location = `http://plain.test:${plain.port}/`
  assert.equal(Buffer.from((await fetch(url, { redirects: 1 })).body).toString(), 'plain')
  await assert.rejects(fetchFor('other.test')(`https://other.test:${port}/`), failed('unreachable'))
})

test('a URL that the operator configured is allowed, but only on its port', async () => {
  const set = await serve((_, response) => response.end('set'))
  const other = await serve((_, response) => response.end('other'))
  const allow = allowAddresses(createOutboundAllow([]), [undefined, `http://127.0.0.1:${set.port}/api`])
  const fetch = createGuardedFetch(createOutboundPolicy(allow))
  assert.equal(Buffer.from((await fetch(`http://127.0.0.1:${set.port}/api/x`)).body).toString(), 'set')
  await assert.rejects(fetch(`http://127.0.0.1:${other.port}/`), OutboundRefused)
  const named = createGuardedFetch(
    createOutboundPolicy(allowAddresses(createOutboundAllow([]), [`http://stems.home:${set.port}`]), {
      resolver: toLoopback,
    }),
  )
  assert.equal((await named(`http://stems.home:${set.port}/`)).status, 200)
  await assert.rejects(named(`http://lists.home:${set.port}/`), OutboundRefused)
})
