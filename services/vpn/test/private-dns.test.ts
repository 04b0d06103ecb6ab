import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import { frame, StreamFrames } from '../src/dns/upstream/stream-frames.ts'
import { makeQuery, readAnswer } from './dns-packets.ts'
import { startService } from './in-process.ts'
import {
  addressIn,
  closed,
  host,
  pathOf,
  request2,
  startPrivateDns,
  type PrivateDnsFixture,
} from './private-dns-fixture.ts'

const anywhere = '192.0.2.1'
const message = 'application/dns-message'

/** A query with an empty Padding option (RFC 7830). */
function paddedQuery(name: string): Uint8Array {
  const query = makeQuery(name, undefined, 1232)
  const padded = Uint8Array.from([...query, 0, 12, 0, 0])
  new DataView(padded.buffer).setUint16(query.length - 2, 4)
  return padded
}

/** Asks over TLS until a change of peers is in force. */
const soon = (world: PrivateDnsFixture, name: string, domain: string, wanted: string | undefined) =>
  eventually(
    async () => (await world.ask(name, [domain]))[0],
    (found) => found === wanted,
    { what: `${wanted ?? 'no answer'} for ${domain}` },
  )

test('a device outside the tunnel is answered over TLS and HTTPS as its peer: filtered, logged and explained', async () => {
  await using world = await startPrivateDns()
  const { service } = world
  const [phone, laptop] = [await world.make(world.phone), await world.make(world.laptop)]
  assert.match(phone.tls_host, /^[a-z2-7]{32}\.dns\.home\.test$/)
  assert.equal(phone.https_url, `https://${host}:${world.ports.https}/dns-query/${phone.secret}`)
  await service.call('POST', '/api/dns/rules', { action: 'block', domain: 'ads.example', client: 'Phone' })

  await soon(world, phone.tls_host, 'ads.example', '0.0.0.0')
  const domains = ['one.example', 'ads.example', 'two.example']
  assert.deepEqual((await world.ask(phone.tls_host, domains)).toSorted(), ['0.0.0.0', anywhere, anywhere])
  assert.deepEqual(await world.ask(laptop.tls_host, ['ads.example']), [anywhere])
  assert.deepEqual(await world.ask(phone.tls_host.toUpperCase(), ['ads.example']), ['0.0.0.0'], 'letters of any size')

  const half = world.open(phone.tls_host, { allowHalfOpen: true })
  await once(half, 'secureConnect')
  half.end(frame(makeQuery('half.example')))
  const [late] = (await once(half, 'data')) as [Buffer]
  assert.deepEqual(readAnswer(late.subarray(2)).addresses, [anywhere], 'also when it ended its half of the connection')
  await closed(half)

  const padded = await world.get(
    `/dns-query/${phone.secret}`,
    { method: 'POST', headers: { 'content-type': message } },
    paddedQuery('padded.example'),
  )
  assert.equal(padded.body.length, 468, 'RFC 8467')
  assert.equal(addressIn(padded), anywhere)
  const stream = world.open(phone.tls_host)
  await once(stream, 'secureConnect')
  stream.write(frame(paddedQuery('padded.example')))
  const [over] = (await once(stream, 'data')) as [Buffer]
  assert.equal(over.readUInt16BE(0), 468)
  stream.destroy()

  const session = world.session()
  const [get, post] = await Promise.all([
    request2(session, { ':path': pathOf(phone.secret, 'ads.example') }),
    request2(
      session,
      { ':method': 'POST', ':path': `/dns-query/${phone.secret}`, 'content-type': message },
      makeQuery('http2.example'),
    ),
  ])
  session.close()
  assert.deepEqual([addressIn(get), addressIn(post)], ['0.0.0.0', anywhere])
  assert.equal(get.headers['content-type'], message)
  assert.equal(get.headers['cache-control'], 'no-store')
  const old = { method: 'POST', headers: { 'content-type': message } }
  assert.equal(addressIn(await world.get(pathOf(laptop.secret, 'ads.example'))), anywhere)
  assert.equal(addressIn(await world.get(`/dns-query/${phone.secret}`, old, makeQuery('ads.example'))), '0.0.0.0')
  const proxied = await fetch(`http://127.0.0.1:${world.ports.http}${pathOf(phone.secret, 'proxied.example')}`)
  assert.deepEqual(readAnswer(new Uint8Array(await proxied.arrayBuffer())).addresses, [anywhere])

  const logged = async (client: string) => {
    const { status, body } = await service.call('GET', `/api/dns/queries?client=${client}&limit=100`)
    if (status !== 200) throw new Error(JSON.stringify(body))
    return body.data as { domain: string; status: string }[]
  }
  const seen = await eventually(
    () => logged('Phone'),
    (rows) =>
      ['one.example', 'http2.example', 'proxied.example'].every((name) => rows.some(({ domain }) => domain === name)),
    { what: 'the queries of the phone in the log' },
  )
  assert.ok(seen.every(({ domain, status }) => (domain === 'ads.example') === (status === 'blocked')))
  assert.deepEqual(
    new Set((await logged('Laptop')).map(({ domain }) => domain)),
    new Set(['ready.example', 'ads.example']),
  )
  const why = (await service.call('GET', '/api/dns/explain?domain=ads.example&client=Phone')).body.data
  assert.equal(why.status, 'blocked')
})

test('who has no secret, a wrong, old or withdrawn one, or a peer that may not connect, gets no DNS', async () => {
  await using world = await startPrivateDns()
  const { service, phone } = world
  const first = await world.make(phone)
  await soon(world, first.tls_host, 'here.example', anywhere)
  const other = `${'a'.repeat(32)}.${host}`
  const names = [undefined, host, other, `${first.secret}.example.org`, `x.${first.tls_host}`, first.secret]
  for (const name of names)
    assert.deepEqual(await world.ask(name, ['a.example'], { rejectUnauthorized: false }), [], name ?? 'no name')

  const refusal = async (path: string, options = {}) => {
    const { status, headers, body } = await world.get(path, options)
    const { date: _date, ...others } = headers
    return JSON.stringify([status, others, body.toString()])
  }
  const paths = [
    '/',
    '/dns-query',
    '/dns-query?dns=AAABAAABAAAAAAAAA3d3dwdleGFtcGxlA2NvbQAAAQAB',
    pathOf('a'.repeat(32), 'a.example'),
    pathOf('', 'a.example'),
    pathOf(`${first.secret}x`, 'a.example'),
    `/dns-query/../dns-query/${first.secret}`,
    `/dns-query/${first.secret}/`,
    `/dns-query/%61${first.secret.slice(1)}`,
    `/${first.secret}`,
  ]
  const answers = new Set<string>()
  for (const path of paths) answers.add(await refusal(path))
  answers.add(await refusal('/dns-query', { method: 'PUT' }))

  const second = await world.make(phone)
  await soon(world, second.tls_host, 'here.example', anywhere)
  assert.deepEqual(await world.ask(first.tls_host, ['a.example']), [], 'the old secret works no more')
  answers.add(await refusal(pathOf(first.secret, 'a.example')))

  const barred = async (body: object, back: object) => {
    await service.call('PUT', `/api/peers/${phone}`, body)
    await soon(world, second.tls_host, 'here.example', undefined)
    answers.add(await refusal(pathOf(second.secret, 'a.example')))
    await service.call('PUT', `/api/peers/${phone}`, back)
    await soon(world, second.tls_host, 'here.example', anywhere)
  }
  await barred({ enabled: false }, { enabled: true })
  const open = world.open(second.tls_host)
  await once(open, 'secureConnect')
  const withdrawn = await service.call('DELETE', `/api/peers/${phone}/private-dns`)
  assert.equal(withdrawn.body.data.active, false)
  open.write(frame(makeQuery('a.example')))
  open.resume()
  await closed(open)
  answers.add(await refusal(pathOf(second.secret, 'a.example')))
  const [only, ...others] = answers
  assert.deepEqual(others, [], 'all of them get the same answer')
  assert.match(only ?? '', /^\[404,/)
  await service.call('DELETE', `/api/peers/${phone}`)
  assert.deepEqual(await world.ask(second.tls_host, ['a.example']), [])
  assert.equal((await service.call('GET', `/api/peers/${phone}/private-dns`)).status, 404)
})

test('wrong requests of a device get an answer that says so, and bounds hold', async () => {
  await using world = await startPrivateDns()
  const { secret } = await world.make(world.phone)
  const path = `/dns-query/${secret}`
  const statusOf = async (options: object, body?: Uint8Array, at = path) => (await world.get(at, options, body)).status
  const post = { method: 'POST', headers: { 'content-type': message } }
  assert.equal(await statusOf({}, undefined), 400)
  assert.equal(await statusOf({}, undefined, `${path}?dns=***`), 400)
  assert.equal(await statusOf({}, undefined, `${path}?dns=AAAA`), 400)
  assert.equal(await statusOf(post, new Uint8Array(3)), 400)
  assert.equal(await statusOf({ method: 'PUT' }), 405)
  assert.equal(
    await statusOf({ method: 'POST', headers: { 'content-type': 'text/plain' } }, makeQuery('a.example')),
    415,
  )
  assert.equal(await statusOf(post, new Uint8Array(5000)), 413)
  const chunked = { method: 'POST', headers: { 'content-type': message, 'transfer-encoding': 'chunked' } }
  assert.equal(await statusOf(chunked, new Uint8Array(5000)), 413)
  const long = await world.get(`${path}?dns=${'A'.repeat(20_000)}`).then(
    ({ status }) => status,
    () => 431,
  )
  assert.ok([413, 431].includes(long))
  const session = world.session()
  assert.equal(
    (await request2(session, { ':method': 'POST', ':path': path, 'content-type': message }, new Uint8Array(5000)))
      .status,
    413,
  )
  assert.equal(addressIn(await request2(session, { ':path': pathOf(secret, 'after.example') })), anywhere)
  session.close()
})

test('hostile clients are cut off and devices are answered all the while', async () => {
  await using world = await startPrivateDns()
  const { secret, tls_host: name } = await world.make(world.phone)
  const isAnswered = async (domain: string) => {
    assert.deepEqual(await world.ask(name, [domain]), [anywhere])
    assert.equal(addressIn(await world.get(pathOf(secret, domain))), anywhere)
  }
  await isAnswered('first.example')

  // Rapid reset: the session is ended before it has opened all it wanted.
  const session = world.session()
  await once(session, 'connect')
  const ended = closed(session)
  for (let count = 0; count < 5000 && !session.destroyed && !session.closed; count += 1) {
    const stream = session.request({ ':path': pathOf(secret, `r${count}.example`) })
    stream.on('error', () => undefined)
    stream.close(8)
    if (count % 50 === 0) await new Promise(setImmediate)
  }
  await ended
  await isAnswered('reset.example')

  // Whoever keeps asking with wrong secrets is shut out by address, before any handshake.
  const stranger = { localAddress: '127.0.0.3' }
  for (let count = 0; count < 25; count += 1) await world.ask(`${'b'.repeat(32)}.${host}`, ['a.example'], stranger)
  assert.deepEqual(await world.ask(name, ['a.example'], stranger), [])
  await isAnswered('throttled.example')

  // Connections of one device that stay are few; the others are closed unanswered.
  const laptop = await world.make(world.laptop)
  const kept = Array.from({ length: 40 }, () => world.open(laptop.tls_host, { localAddress: '127.0.0.4' }))
  const fates = kept.map((socket) => {
    socket.once('secureConnect', () => socket.write(frame(makeQuery('stay.example'))))
    const answered = new Promise<boolean>((resolve) => void socket.once('data', () => resolve(true)))
    return Promise.race([answered, closed(socket).then(() => false)])
  })
  await isAnswered('many.example')
  const answered = (await Promise.all(fates)).filter(Boolean).length
  assert.ok(answered > 0 && answered <= 16, `one device has 16 connections at most, not ${answered}`)
  for (const socket of kept) socket.destroy()

  // A thousand queries at once on one connection, and bytes that are no query.
  const domains = Array.from({ length: 1000 }, (_, index) => `p${index}.example`)
  assert.equal((await world.ask(name, domains)).length, 1000)
  const odd = world.open(name)
  await once(odd, 'secureConnect')
  odd.write(Buffer.concat([Buffer.from([0xff, 0xff]), Buffer.alloc(65_535, 1)]))
  await Promise.race([closed(odd), new Promise((resolve) => void odd.once('data', resolve))])
  odd.destroy()
  // A request that never ends, and one that never begins.
  const slow = world.session({ localAddress: '127.0.0.5' })
  await once(slow, 'connect')
  const began = performance.now()
  await closed(slow)
  assert.ok(performance.now() - began < 30_000)
  await isAnswered('last.example')
  assert.equal((await world.service.call('GET', '/api/dns/status')).body.data.restarts, 0)
})

test('a certificate is renewed under load without a lost query or connection; a bad one changes nothing', async () => {
  await using world = await startPrivateDns()
  const { secret, tls_host: name } = await world.make(world.phone)
  await soon(world, name, 'ready.example', anywhere)
  const serial = async () => {
    const socket = world.open(name)
    await once(socket, 'secureConnect')
    const { fingerprint256 } = socket.getPeerCertificate()
    socket.destroy()
    return fingerprint256
  }
  const [before, session, socket] = [await serial(), world.session(), world.open(name)]
  const frames = new StreamFrames()
  let [asked, answered] = [0, 0]
  const load = { isOver: false }
  socket.on('data', (piece: Buffer) => (answered += frames.push(piece).length))
  await once(socket, 'secureConnect')
  const loading = (async () => {
    while (!load.isOver) {
      asked += 1
      socket.write(frame(makeQuery(`t${asked}.example`)))
      assert.equal(addressIn(await request2(session, { ':path': pathOf(secret, `h${asked}.example`) })), anywhere)
      assert.deepEqual(await world.ask(name, [`n${asked}.example`]), [anywhere])
    }
  })()
  await world.renew()
  await eventually(serial, (found) => found !== before, { what: 'the new certificate' })
  const renewed = await serial()
  const state = async () => (await world.service.call('GET', '/api/dns/private')).body.data
  await writeFile(world.files.key, (await world.authority.issue('else.test')).key)
  const { certificate_problem: problem } = await eventually(state, (found) => found.certificate_problem !== null, {
    what: 'the problem',
  })
  assert.equal(problem, 'DNS_TLS_KEY does not belong to DNS_TLS_CERTIFICATE')
  assert.equal(await serial(), renewed)
  load.isOver = true
  await loading
  await eventually(
    () => answered,
    (count) => count === asked,
    { what: 'all answers' },
  )
  socket.destroy()
  session.close()
  assert.ok(asked > 1)

  await world.renew([host])
  await eventually(state, (found) => found.certificate.for_tls === false, { what: 'a certificate for the host alone' })
  const { health } = (await world.service.call('GET', '/api/dns/status')).body.data
  const titles = health
    .filter(({ code }: { code: string }) => code === 'private_dns_certificate')
    .map(({ title }: { title: string }) => title)
  assert.deepEqual(titles, [
    'The certificate of Private DNS is for other names',
    'The certificate of Private DNS ends soon',
  ])
})

test('a secret stands in its one answer and nowhere else, and the profile of Apple names it', async () => {
  await using world = await startPrivateDns({ DNS_HTTPS_URL: 'https://dns.example.org/' })
  const { service, phone } = world
  await service.call('PUT', `/api/peers/${phone}`, { name: 'Ada <phone> & more' })
  const made = await world.make(phone)
  assert.equal(made.https_url, `https://dns.example.org/dns-query/${made.secret}`)
  assert.equal(made.file_name, 'Ada-phone-more.mobileconfig')
  assert.match(made.apple_profile, /<string>com\.apple\.dnsSettings\.managed<\/string>/)
  assert.ok(made.apple_profile.includes(`<key>ServerURL</key><string>${made.https_url}</string>`))
  assert.ok(made.apple_profile.includes('Ada &lt;phone&gt; &amp; more'))
  await world.get(pathOf(made.secret, 'seen.example')).catch(() => undefined)
  const replies = await Promise.all(
    [
      `/api/peers/${phone}/private-dns`,
      '/api/dns/private',
      `/api/peers/${phone}`,
      '/api/security-log',
      '/api/dns/queries',
    ].map(async (path) => (await service.call('GET', path)).text),
  )
  assert.ok(replies.every((text) => !text.includes(made.secret)))
  assert.match(replies[3] ?? '', /dns_secret_created/)
  const entries = await readdir(service.folder, { recursive: true, withFileTypes: true })
  for (const entry of entries.filter((each) => each.isFile())) {
    const content = await readFile(join(entry.parentPath, entry.name), 'latin1').catch(() => '')
    assert.ok(!content.includes(made.secret), entry.name)
    assert.ok(!content.includes('PRIVATE KEY'), entry.name)
  }
  const read = (await service.call('GET', `/api/peers/${phone}/private-dns`)).body.data
  assert.deepEqual([read.available, read.active, read.created_by], [true, true, 'admin'])
})

test('without settings names are answered nowhere outside, and the answer names the settings', async () => {
  await using service = await startService()
  await service.call('POST', '/api/interfaces', { name: 'wg0', address: '10.8.0.1/24', listen_port: 51_820 })
  const { id } = (await service.call('POST', '/api/peers', { name: 'phone', interface: 'wg0' })).body.data
  const refused = await service.call('POST', `/api/peers/${id}/private-dns`)
  assert.equal(refused.status, 409)
  assert.match(refused.body.message, /DNS_TLS_NAME/)
  assert.equal((await service.call('GET', '/api/dns/private')).body.data.enabled, false)
  assert.equal((await service.call('GET', `/api/peers/${id}/private-dns`)).body.data.available, false)
  await service.addUser('reader', 'user')
  const reader = await service.signIn('reader', 'tall-giraffe-on-ice-7')
  for (const path of ['/api/dns/private', `/api/peers/${id}/private-dns`])
    assert.equal((await reader.send('GET', path)).status, 403)
})
