import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { createOpenGuarded, createOutboundAllow, createOutboundPolicy } from '@hearth/outbound'
import { createLog, createManualClock } from '@hearth/runtime'
import { eventually, temporaryDirectory } from '@hearth/testing'
import { openDatabases } from './databases.ts'
import { DatabaseUpdates } from './updates.ts'

const log = createLog({ name: 'test', level: 'silent' })
const bytesOf = (name: string) => readFileSync(join(import.meta.dirname, `../../test/data/geo/${name}.mmdb`))

/** A server whose answers the test decides, and the updates of a service that downloads from it. */
async function openFixture() {
  const cleanup = new AsyncDisposableStack()
  const folder = cleanup.use(await temporaryDirectory('geo'))
  const requests: IncomingMessage[] = []
  const state: { answer: (request: IncomingMessage, response: ServerResponse) => void; url: string; asn: string } = {
    answer: (_, response) => void response.writeHead(404).end(),
    url: '',
    asn: '',
  }
  const server = createServer((request, response) => {
    requests.push(request)
    state.answer(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  const { port } = server.address() as AddressInfo
  const geo = join(folder.path, 'geo')
  const clock = createManualClock(Date.parse('2026-11-21T00:00:00Z'))
  const databases = await openDatabases({ files: { country: undefined, asn: undefined }, folder: geo, log })
  cleanup.defer(() => databases.close())
  const open = createOpenGuarded(createOutboundPolicy(createOutboundAllow(['127.0.0.1'])))
  const url = (kind: string) => (kind === 'country' ? state.url : state.asn)
  const updates = new DatabaseUpdates({ databases, folder: geo, open, clock, log, url, intervalMs: 20 })
  cleanup.defer(() => updates.close())
  const at = (path: string) => `http://127.0.0.1:${port}${path}`
  return { state, requests, clock, databases, updates, geo, at, [Symbol.asyncDispose]: () => cleanup.disposeAsync() }
}

for (const [title, pack] of [
  ['as it is', (bytes: Buffer) => bytes],
  ['packed', gzipSync],
] as const) {
  test(`a database is downloaded ${title}, opened, and checked again after a week`, async () => {
    await using fixture = await openFixture()
    const { state, databases, requests, clock } = fixture
    state.answer = (request, response) => {
      const isKnown = request.headers['if-none-match'] === '"one"'
      response
        .writeHead(isKnown ? 304 : 200, { etag: '"one"' })
        .end(isKnown ? '' : pack(bytesOf('GeoLite2-Country-Test')))
    }
    state.url = fixture.at('/country.mmdb.gz?license_key=secret')
    await eventually(() => databases.has('country'), Boolean)
    assert.equal(databases.place('2.125.160.217').country, 'GB')
    assert.equal(databases.problem('country'), null)
    assert.equal((await stat(join(fixture.geo, 'country.mmdb'))).mode & 0o777, 0o600)
    assert.ok(!(await readFile(join(fixture.geo, 'country.json'), 'utf8')).includes('secret'))
    assert.equal(requests.length, 1)
    clock.advance(7 * 86_400_000)
    await eventually(
      () => requests.length,
      (count) => count >= 2,
    )
    await eventually(
      async () => readFile(join(fixture.geo, 'country.json'), 'utf8'),
      (text) => text.includes(String(clock.now())),
    )
    assert.equal(databases.has('country'), true)
    await rm(join(fixture.geo, 'country.mmdb'))
    await databases.reload()
    await eventually(() => databases.has('country'), Boolean, { what: 'the database that was deleted' })
  })
}

test('a wrong, truncated or refused download changes nothing, reports why, and is retried later', async () => {
  await using fixture = await openFixture()
  const { state, databases, updates, clock, requests } = fixture
  const send = (body: Buffer | string) => {
    state.answer = (_, response) => void response.writeHead(200).end(body)
  }
  send(bytesOf('GeoLite2-ASN-Test'))
  state.asn = fixture.at('/asn')
  await eventually(() => databases.has('asn'), Boolean)
  const before = await readFile(join(fixture.geo, 'asn.mmdb'))
  const wrong: [string, () => void, RegExp][] = [
    ['/text', () => send('<html>Please sign in</html>'), /not a MaxMind database/],
    ['/cyclic', () => send(bytesOf('bad-cyclic')), /could not be downloaded/],
    ['/city', () => send(bytesOf('GeoLite2-City-Test')), /has no networks/],
    ['/half', () => send(bytesOf('GeoLite2-ASN-Test').subarray(0, 6000)), /not a MaxMind database/],
    ['/packed-half', () => send(gzipSync(bytesOf('GeoLite2-ASN-Test')).subarray(0, 3000)), /could not be downloaded/],
    ['/gone', () => (state.answer = (_, response) => void response.writeHead(410).end()), /127\.0\.0\.1 answered 410/],
    [
      '/private',
      () => (state.answer = (_, response) => void response.writeHead(302, { location: 'http://10.0.0.1/' }).end()),
      /10\.0\.0\.1/,
    ],
  ]
  for (const [path, arrange, words] of wrong) {
    arrange()
    state.asn = fixture.at(`${path}?license_key=secret`)
    const problem = await eventually(
      () => updates.problem('asn'),
      (text) => words.test(text ?? ''),
      { what: path },
    )
    assert.ok(!problem?.includes('secret'))
    assert.equal(databases.has('asn'), true)
    assert.deepEqual(await readFile(join(fixture.geo, 'asn.mmdb')), before, path)
  }
  assert.deepEqual((await readdir(fixture.geo)).toSorted(), ['asn.json', 'asn.mmdb'], 'nothing is left lying about')
  const query = requests.length
  send(bytesOf('GeoLite2-ASN-Test'))
  clock.advance(3_600_000)
  await eventually(
    () => updates.problem('asn'),
    (problem) => problem === null,
  )
  assert.equal(requests.length, query + 1)
})

test('a compressed database that expands without end is refused', async () => {
  await using fixture = await openFixture()
  const bomb = gzipSync(Buffer.alloc(230 * 1_048_576))
  fixture.state.answer = (_, response) => void response.writeHead(200).end(bomb)
  fixture.state.url = fixture.at('/bomb')
  const problem = await eventually(
    () => fixture.updates.problem('country'),
    (text) => text !== null,
  )
  assert.match(problem ?? '', /larger than 200 MiB/)
  assert.deepEqual(await readdir(fixture.geo), [])
})
