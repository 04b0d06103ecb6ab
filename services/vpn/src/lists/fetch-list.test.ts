import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { createOpenGuarded, createOutboundAllow, createOutboundPolicy, type Resolver } from '@hearth/outbound'
import { expiryOf, fetchList, type FetchTiming, type KnownText, ListRefused } from './fetch-list.ts'
import { listBounds } from './list-reader.ts'

/** A list server on loopback; counts what it is asked. */
async function serve(listener: RequestListener) {
  let requests = 0
  const server = createServer((request, response) => {
    requests += 1
    response.on('error', () => undefined)
    listener(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { port, url: `http://list.test:${port}/list.txt`, requests: () => requests }
}

const toLoopback: Resolver = async () => ['127.0.0.1']
const quick: FetchTiming = { totalMs: 5000, pausesMs: [10, 10, 10] }
const nothingKnown: KnownText = { etag: null, lastModified: null }

function fetchFrom(
  url: string,
  {
    allow = 'list.test',
    resolver = toLoopback,
    timing = quick,
    known = nothingKnown,
    signal = new AbortController().signal,
  } = {},
) {
  const policy = createOutboundPolicy(createOutboundAllow(allow === '' ? [] : allow.split(',')), { resolver })
  return fetchList(createOpenGuarded(policy), url, { known, signal, timing })
}

const plain = (response: ServerResponse, body: string | Buffer, type = 'text/plain') =>
  void response.writeHead(200, { 'content-type': type }).end(body)

const refused = (message: RegExp) => (error: unknown) => {
  assert(error instanceof ListRefused, String(error))
  assert.match(error.message, message)
  assert(!/secret|list\.txt/.test(error.message), 'nothing of the address but its host')
  return true
}

const textOf = async (fetched: ReturnType<typeof fetchFrom>) => {
  const answer = await fetched
  assert(answer.kind === 'text')
  return Buffer.from(answer.text).toString()
}

test('a list is fetched, and not again while it is unchanged', async () => {
  const seen: unknown[] = []
  const server = await serve(({ headers }, response) => {
    seen.push([headers['if-none-match'], headers['if-modified-since']])
    if (headers['if-none-match'] === '"1"') response.writeHead(304).end()
    else
      response
        .writeHead(200, {
          'content-type': 'text/plain; charset=utf-8',
          etag: '"1"',
          'last-modified': 'Sat, 21 Nov 2026',
        })
        .end('ads.example\n')
  })
  const first = await fetchFrom(server.url)
  assert(first.kind === 'text')
  assert.deepEqual(
    [Buffer.from(first.text).toString(), first.etag, first.lastModified],
    ['ads.example\n', '"1"', 'Sat, 21 Nov 2026'],
  )
  assert.deepEqual(await fetchFrom(server.url, { known: first }), { kind: 'unchanged' })
  assert.deepEqual(seen, [
    [undefined, undefined],
    ['"1"', 'Sat, 21 Nov 2026'],
  ])
})

test('private addresses are refused in any notation', async () => {
  const server = await serve((_, response) => plain(response, 'secret'))
  const hosts =
    `127.0.0.1 127.8.9.1 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 100.64.0.1 0.0.0.0 224.0.0.1
    255.255.255.255 2130706433 0x7f000001 0177.0.0.1 127.1 0 [::1] [::] [fc00::1] [fd12::1] [fe80::1] [::ffff:127.0.0.1]
    [::ffff:a00:1] [64:ff9b::7f00:1] [2002:7f00:1::] [ff02::1]`.split(/\s+/)
  for (const host of hosts)
    for (const port of ['', `:${server.port}`])
      await assert.rejects(
        fetchFrom(`http://${host}${port}/list.txt?secret`, { allow: '' }),
        refused(/public address|port/),
        host,
      )
  for (const address of ['10.8.0.1', '127.0.0.1', 'fd00::1', '::ffff:192.168.0.1'])
    await assert.rejects(
      fetchFrom('http://innocent.example/list.txt', { allow: '', resolver: async () => [address] }),
      refused(/^innocent\.example does not lead to a public address; add it to OUTBOUND_ALLOW/),
      address,
    )
  for (const url of ['ftp://list.test/x', 'file:///etc/passwd', 'http://user:secret@list.test/', 'gopher://list.test/'])
    await assert.rejects(fetchFrom(url), refused(/only http and https|user name/), url)
  assert.equal(server.requests(), 0)
})

test('up to three redirects are followed, and each is checked', async () => {
  const inside = await serve((_, response) => plain(response, 'secret'))
  const server = await serve((request, response) => {
    const path = request.url ?? ''
    const left = Number(path.slice(1))
    if (path === '/inside') response.writeHead(302, { location: `http://127.0.0.1:${inside.port}/secret` }).end()
    else if (path === '/name') response.writeHead(302, { location: `http://in.test:${inside.port}/secret` }).end()
    else if (path === '/file') response.writeHead(302, { location: 'file:///etc/passwd' }).end()
    else if (left > 0) response.writeHead(302, { location: `/${left - 1}` }).end()
    else plain(response, 'there.example')
  })
  const at = (path: string) => `http://list.test:${server.port}/${path}`
  assert.equal(await textOf(fetchFrom(at('3'))), 'there.example')
  await assert.rejects(fetchFrom(at('4')), refused(/redirects too often/))
  for (const path of ['inside', 'name', 'file'])
    await assert.rejects(fetchFrom(at(path)), refused(/public address|port|only http/), path)
  assert.equal(inside.requests(), 0)
})

test('a name whose address changes after it was checked is not fetched from the new address', async () => {
  const server = await serve((_, response) => plain(response, 'once.example'))
  let asked = 0
  const resolver: Resolver = async () => {
    asked += 1
    return asked === 1 ? ['127.0.0.1'] : ['10.0.0.1']
  }
  assert.equal(await textOf(fetchFrom(server.url, { allow: '127.0.0.1/32', resolver })), 'once.example')
  assert.equal(asked, 1)
  await assert.rejects(fetchFrom(server.url, { allow: '127.0.0.1/32', resolver }), refused(/public address|port/))
  assert.equal(server.requests(), 1)
})

test('a list server in the house is fetched from when the operator names it', async () => {
  const server = await serve((_, response) => plain(response, 'home.example'))
  for (const allow of ['list.test', `list.test:${server.port}`, '127.0.0.0/8', '127.0.0.1'])
    assert.equal(await textOf(fetchFrom(server.url, { allow })), 'home.example', allow)
})

test('endless, slow and exploding bodies are abandoned within limits', async () => {
  const endless = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' })
    const more = () => {
      while (response.write(`${'a'.repeat(1000)}.example\n`.repeat(60)));
    }
    response.on('drain', more)
    more()
  })
  await assert.rejects(fetchFrom(endless.url), refused(/more than is accepted/))
  const oneLine = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain', 'content-length': 100_000_000 })
    const more = () => {
      while (response.write(Buffer.alloc(65_536, 97)));
    }
    response.on('drain', more)
    more()
  })
  await assert.rejects(fetchFrom(oneLine.url), refused(/more than is accepted/))
  const bomb = gzipSync(Buffer.alloc(120_000_000, 'a'))
  const packed = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }).end(bomb)
  })
  await assert.rejects(fetchFrom(packed.url), refused(/more than is accepted/))
  const drip = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' })
    const timer = setInterval(() => response.write('a'), 20)
    response.on('close', () => clearInterval(timer))
  })
  const begun = performance.now()
  await assert.rejects(
    fetchFrom(drip.url, { timing: { totalMs: 400, pausesMs: [10, 10] } }),
    refused(/^list\.test did not send it in time$/),
  )
  assert(performance.now() - begun < 20_000)
  const silent = await serve(() => undefined)
  await assert.rejects(fetchFrom(silent.url, { timing: { totalMs: 200, pausesMs: [10] } }), refused(/in time/))
})

test('a compressed body is decompressed', async () => {
  const server = await serve((_, response) => {
    response
      .writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' })
      .end(gzipSync('packed.example\n'))
  })
  assert.equal(await textOf(fetchFrom(server.url)), 'packed.example\n')
})

test('two million lines are accepted, one more is refused', async () => {
  let lines = listBounds.lines
  const server = await serve((_, response) => plain(response, Buffer.alloc(2 * lines, 'a\n')))
  assert.equal((await textOf(fetchFrom(server.url))).length, 4_000_000)
  lines += 1
  await assert.rejects(fetchFrom(server.url), refused(/more than 2000000 lines/))
})

test('only text is accepted, by its type and its first bytes', async () => {
  let type = ''
  let body: string | Buffer = 'a.example\n'
  const server = await serve((_, response) => {
    if (type === '') response.writeHead(200).end(body)
    else plain(response, body, type)
  })
  for (type of ['', 'text/plain', 'TEXT/PLAIN; charset=x', 'text/x-hosts', 'application/octet-stream'])
    assert.equal(await textOf(fetchFrom(server.url)), 'a.example\n', type)
  for (type of [
    'text/html',
    'text/html; charset=utf-8',
    'application/json',
    'image/png',
    'application/x-gzip',
    'te xt',
  ])
    await assert.rejects(fetchFrom(server.url), refused(/not a text list/), type)
  type = 'text/plain'
  for (body of ['<!DOCTYPE html><p>Sign in', '\u{feff}\n <html>', '<?xml version="1.0"?>'])
    await assert.rejects(fetchFrom(server.url), refused(/web page/), body)
  for (body of [gzipSync('a.example'), Buffer.from('PK\u{3}\u{4}\0\0'), Buffer.alloc(100)])
    await assert.rejects(fetchFrom(server.url), refused(/not a text$/))
  // Null characters later on spoil their lines only, which the compiler counts.
  body = `${'a.example\n'.repeat(200)}b\0.example\n`
  assert.match(await textOf(fetchFrom(server.url)), /\0/)
})

test('a server that is busy or away gets another request, one that refuses does not', async () => {
  const answers = [503, 429, 200]
  const server = await serve((_, response) => {
    response.writeHead(answers.shift() ?? 500, { 'content-type': 'text/plain' }).end('a.example')
  })
  assert.equal(await textOf(fetchFrom(server.url)), 'a.example')
  assert.equal(server.requests(), 3)
  await assert.rejects(fetchFrom(server.url), refused(/status 500/))
  assert.equal(server.requests(), 3 + 4, 'three more tries')
  for (const status of [404, 403, 206, 204, 304]) {
    const one = await serve((_, response) => void response.writeHead(status).end())
    await assert.rejects(fetchFrom(one.url), refused(new RegExp(`status ${status}`)))
    assert.equal(one.requests(), 1, `${status}`)
  }
  let looked = 0
  const resolver: Resolver = () => {
    looked += 1
    return Promise.reject(new Error('no such name'))
  }
  await assert.rejects(
    fetchFrom('http://gone.example/list.txt', { resolver, allow: '' }),
    refused(/^gone\.example has no address$/),
  )
  assert.equal(looked, 4)
})

test('stopping the service aborts a fetch at once', async () => {
  const server = await serve((_, response) => void response.writeHead(503).end())
  const controller = new AbortController()
  const waiting = fetchFrom(server.url, { signal: controller.signal, timing: { totalMs: 60_000, pausesMs: [50_000] } })
  setTimeout(() => controller.abort(new Error('the service stops')), 50)
  await assert.rejects(waiting, /the service stops/)
})

test('the expiry of a list is read from its header', () => {
  const of = (text: string) => expiryOf(new TextEncoder().encode(text))
  assert.equal(of('! Title: x\n! Expires: 4 hours (update frequency)\n'), 4 * 3600)
  assert.equal(of('# Expires: 1 day\n'), 86_400)
  assert.equal(of('! Expires: 12h'), 12 * 3600)
  assert.equal(of('! expires: 5 minutes'), 300)
  assert.equal(of('# Expires: Updated regularly\n'), null)
  assert.equal(of('expires: 4 days\n'), null)
})
