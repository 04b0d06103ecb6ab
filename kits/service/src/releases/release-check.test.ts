import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { createManualClock, systemTimers } from '@hearth/runtime'
import { createReleaseCheck, isNewer } from './release-check.ts'

test('versions are compared as numbers', () => {
  assert.equal(isNewer('0.10.0', '0.9.9'), true)
  assert.equal(isNewer('1.0.0', '1.0.0'), false)
  assert.equal(isNewer('1.0.0-beta', '1.0.0'), false)
  assert.equal(isNewer('1.0.0', '1.0.0-beta'), true)
  assert.equal(isNewer('0.9', '0.9.1'), false)
})

test('an answer is cached for an hour, a failure for a minute; a forced check is allowed every 30 seconds', async (t) => {
  let requests = 0
  let status = 200
  const server = createServer((_request, response) => {
    requests += 1
    response.writeHead(status).end(JSON.stringify({ tag_name: 'v9.9.9', html_url: 'https://example.org/9' }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const clock = createManualClock(Date.UTC(2026, 0, 1))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/latest`
  const check = createReleaseCheck({ version: '0.1.0', url, timers: { ...systemTimers, ...clock } })
  const first = await Promise.all([check.check(false), check.check(false)])
  assert.deepEqual(
    [requests, first[0]?.latest, first[0]?.update_available, first[0]?.cached],
    [1, '9.9.9', true, false],
  )
  clock.advance(29_000)
  assert.equal((await check.check(true)).cached, true)
  clock.advance(1000)
  assert.equal((await check.check(true)).cached, false)
  clock.advance(3_599_000)
  assert.equal((await check.check(false)).cached, true)
  status = 500
  clock.advance(1000)
  const failed = await check.check(false)
  assert.deepEqual([failed.cached, failed.latest, failed.error], [false, null, 'the server of releases answered 500'])
  clock.advance(59_000)
  assert.equal((await check.check(false)).cached, true)
  clock.advance(1000)
  assert.equal((await check.check(false)).cached, false)
  assert.equal(requests, 4)
})

test('without a release URL no request is sent', async () => {
  const check = createReleaseCheck({ version: '0.1.0', url: undefined, timers: systemTimers })
  assert.match((await check.check(true)).error ?? '', /RELEASES_URL/)
})

test('a redirect to a private address that the operator did not configure is not followed', async (t) => {
  const inner = createServer((_request, response) => response.end(JSON.stringify({ tag_name: 'v9.9.9' })))
  await new Promise<void>((resolve) => inner.listen(0, '127.0.0.1', resolve))
  const location = `http://127.0.0.1:${(inner.address() as AddressInfo).port}/`
  const outer = createServer((_request, response) => response.writeHead(302, { location }).end())
  await new Promise<void>((resolve) => outer.listen(0, '127.0.0.1', resolve))
  t.after(() => [inner.close(), outer.close()])
  const url = `http://127.0.0.1:${(outer.address() as AddressInfo).port}/latest`
  const finding = await createReleaseCheck({ version: '0.1.0', url, timers: systemTimers }).check(true)
  assert.deepEqual([finding.latest, typeof finding.error], [null, 'string'])
})
