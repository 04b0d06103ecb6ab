import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net'
import { test } from 'node:test'
import { selfSignedCertificate } from '@hearth/testing'
import { SiteCheck } from '../../sites/check-schema.ts'
import { checkSite, type CheckContext, type CheckOutcome, type SiteTarget } from './check-site.ts'

/** Certificates of `selfSignedCertificate` are valid from 2020 to 2120. */
const now = Date.UTC(2026, 0, 1)

async function listen(server: Server) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      if ('closeAllConnections' in server) (server.closeAllConnections as () => void)()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const serve = (listener: RequestListener) => listen(createServer(listener))

function check(
  port: number,
  members: object = {},
  more: Partial<SiteTarget & CheckContext> = {},
): Promise<CheckOutcome> {
  const target = {
    host: 'wiki.test',
    domains: ['wiki.test', '*.wiki.test'],
    isTls: false,
    needsTrust: false,
    isHandshake: false,
    isLimited: false,
    settings: SiteCheck.parse({ timeout_seconds: 5, ...members }),
    ...more,
  }
  const endpoint = { address: '127.0.0.1', httpPort: port, httpsPort: port }
  return checkSite(target, { endpoint, now, upstreamNote: '', areUpstreamsDown: false, ...more })
}

test('a redirect to another host, scheme or address is an answer, and nobody is asked', async () => {
  let location = ''
  let requests = 0
  await using caddy = await serve((_, response) => {
    requests += 1
    response.writeHead(302, { location }).end()
  })
  await using other = await serve(() => assert.fail('the other server was asked'))
  for (location of [
    `http://127.0.0.1:${other.port}/`,
    `http://localhost:${other.port}/`,
    'http://169.254.169.254/latest/meta-data',
    'https://evil.test/',
    'https://evil-wiki.test/',
    'https://wiki.test.evil.test/',
    'https://a.b.wiki.test/',
    '//evil.test/x',
    '\\\\evil.test\\x',
    'http://wiki.test@evil.test/',
    'file:///etc/passwd',
    'gopher://wiki.test/',
    'http://[',
  ]) {
    requests = 0
    const { failure } = await check(caddy.port, { follow_redirects: true, expected_status: '200-399' })
    assert.deepEqual([failure, requests], [undefined, 1], location)
  }
})

test('redirects within the names of the site are followed, five at most, and always to Caddy', async () => {
  const seen: string[] = []
  await using caddy = await serve((request, response) => {
    seen.push(`${request.headers.host}${request.url}`)
    const step = Number(new URL(request.url ?? '', 'http://x').searchParams.get('step') ?? 0)
    // The port of an address is not where the request goes.
    response.writeHead(302, { location: `http://s${step}.wiki.test:1/?step=${step + 1}` }).end()
  })
  const settings = { follow_redirects: true, expected_status: '200' }
  assert.match((await check(caddy.port, settings)).cameBack, /^302 Found/)
  assert.deepEqual(seen.slice(0, 3), ['wiki.test/', 's0.wiki.test/?step=1', 's1.wiki.test/?step=2'])
  assert.equal(seen.length, 6)
  seen.length = 0
  await check(caddy.port, { ...settings, follow_redirects: false })
  assert.equal(seen.length, 1)
})

test('no more than 256 KiB of a page are read, and an endless one ends with the time limit', async () => {
  let sent = 0
  await using caddy = await serve((request, response) => {
    if (request.url === '/slow') return void response.write('never the text')
    const more = () => {
      while (sent < 50_000_000 && response.write('x'.repeat(65_536))) sent += 65_536
    }
    response.on('drain', more)
    response.on('error', () => undefined)
    more()
  })
  const large = await check(caddy.port, { expected_text: 'needle' })
  assert.match(large.failure?.came_back ?? '', /without the expected text/)
  assert.ok(sent < 20_000_000, String(sent))
  const slow = await check(caddy.port, { path: '/slow', expected_text: 'needle', timeout_seconds: 1 })
  assert.equal(slow.failure?.kind, 'timeout')
})

test('each failure has its own words', async () => {
  await using closing = await listen(createTcpServer((socket) => void socket.once('data', () => socket.destroy())))
  await using silent = await listen(createTcpServer((socket) => void socket.on('error', () => undefined).resume()))
  await using odd = await listen(
    createTcpServer((socket) => void socket.once('data', () => socket.end('this is no HTTP\r\n\r\n'))),
  )
  const gone = await serve(() => undefined)
  await gone[Symbol.asyncDispose]()
  const kinds = async (port: number, members: object = {}, more: Partial<SiteTarget & CheckContext> = {}) => {
    const { failure } = await check(port, members, more)
    assert.ok(failure !== undefined && failure.asked !== '' && failure.came_back !== '' && failure.advice !== '')
    return failure.kind
  }
  assert.equal(await kinds(gone.port), 'caddy')
  assert.equal(await kinds(closing.port), 'closed')
  assert.equal(await kinds(odd.port), 'closed')
  assert.equal(await kinds(closing.port, {}, { isTls: true }), 'tls')
  assert.equal(await kinds(1, {}, { endpoint: undefined }), 'caddy')
  const silence = await check(silent.port, { timeout_seconds: 1 }, { upstreamNote: 'Upstream 10.0.0.5:80: down.' })
  assert.equal(silence.failure?.came_back, 'No answer within 1 s. Upstream 10.0.0.5:80: down.')
  const handshake = await check(silent.port, { timeout_seconds: 1 }, { isTls: true })
  assert.equal(handshake.failure?.came_back, 'No TLS handshake within 1 s.')
})

test('a certificate is judged by its dates, its name and, where it must be, by trust', async () => {
  const { key, certificate } = selfSignedCertificate('wiki.test')
  const names: (string | undefined)[] = []
  const server = createSecureServer({ key, cert: certificate }, (request, response) => {
    names.push((request.socket as { servername?: string }).servername)
    response.end('ok')
  })
  await using caddy = await listen(server)
  const tls = { isTls: true }
  assert.equal((await check(caddy.port, {}, tls)).failure, undefined)
  const words = async (more: Partial<SiteTarget & CheckContext>, members = {}) =>
    (await check(caddy.port, members, { ...tls, ...more })).failure?.came_back
  assert.match((await words({ needsTrust: true })) ?? '', /not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\)/)
  assert.match((await words({ host: 'other.test' })) ?? '', /for other names: DNS:wiki\.test/)
  assert.match((await words({ now: Date.UTC(2130, 0, 1) })) ?? '', /expired on 2120-01-01/)
  assert.match((await words({ now: Date.UTC(2019, 0, 1) })) ?? '', /valid from 2020-01-01 on/)
  assert.equal(await words({ needsTrust: true }, { verify_tls: false }), undefined)
  assert.equal(names[0], 'wiki.test')
  const before = names.length
  const handshake = await check(caddy.port, {}, { ...tls, isHandshake: true })
  assert.match(handshake.cameBack, /^The handshake succeeded/)
  assert.equal(names.length, before)
})

test('a check that is ended while it runs ends at once', async () => {
  await using silent = await serve(() => undefined)
  const controller = new AbortController()
  const running = check(silent.port, { timeout_seconds: 60 }, { signal: controller.signal })
  controller.abort()
  assert.match((await running).cameBack, /ABORTED/)
})

test('a site that this machine does not reach is up while Caddy answers and an upstream does', async () => {
  let header: Record<string, string> = { 'Hearth-Reach': 'refused' }
  await using caddy = await serve((_, response) => void response.writeHead(403, header).end())
  const strict = { expected_status: '200' }
  const limited = await check(caddy.port, strict, { isLimited: true })
  assert.equal(limited.failure, undefined)
  assert.match(limited.cameBack, /not for this machine, so its upstreams are checked directly/)
  const upstreamNote = 'Upstream 10.0.0.9:80: refused.'
  const partly = await check(caddy.port, strict, { isLimited: true, upstreamNote })
  assert.equal(partly.failure, undefined)
  const down = await check(caddy.port, strict, { isLimited: true, upstreamNote, areUpstreamsDown: true })
  assert.equal(down.failure?.kind, 'upstream')
  assert.match(down.cameBack, /10\.0\.0\.9/)
  assert.equal((await check(caddy.port, strict)).failure?.kind, 'status', 'a header that a site for everyone sends')
  header = { 'Hearth-Reach': 'unknown' }
  const unknown = await check(caddy.port, strict, { isLimited: true })
  assert.equal(unknown.failure?.kind, 'status', 'a site that is closed to all is down')
})
