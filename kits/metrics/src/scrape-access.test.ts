import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { createAddressSet, createServer, HttpError } from '@hearth/http'
import { createLog, createManualClock } from '@hearth/runtime'
import { z } from 'zod'
import { metricsRoute } from './metrics-route.ts'
import { createScrapeCheck } from './scrape-access.ts'
import { metricsConfig } from './settings.ts'

const token = 'a-token-of-a-scraper'
const right = { authorization: `Bearer ${token}` }
const elsewhere = '203.0.113.7'

interface Asked {
  readonly from?: string
  readonly headers?: Record<string, string>
}

async function open(context: TestContext, settings: { METRICS_TOKEN?: string; TRUSTED_PROXIES?: string[] } = {}) {
  const clock = createManualClock(0)
  const TRUSTED_PROXIES = settings.TRUSTED_PROXIES ?? []
  const { metrics } = metricsConfig({ FORWARDED_HEADER: 'X-Client', ...settings, TRUSTED_PROXIES })
  const check = createScrapeCheck(metrics, clock)
  const app = await createServer({
    routes: [metricsRoute({ scrape: () => Promise.resolve({ text: 'metrics', contentType: 'text/plain' }) })],
    about: {
      title: 'Test',
      description: 'Test',
      version: '1',
      errorBody: z.object({}),
      securitySchemes: {},
      security: () => [],
      tags: [],
    },
    guard: async (guarded) => check(guarded),
    toError(error) {
      const kind = error instanceof HttpError ? error.reason.kind : 'other'
      return { status: kind === 'unauthenticated' ? 401 : kind === 'rate-limited' ? 429 : 500, body: {} }
    },
    trust: { proxies: createAddressSet(TRUSTED_PROXIES), header: 'x-client' },
    log: createLog({ name: 'test', level: 'silent' }),
    pages: '',
  })
  context.after(() => app.close())
  const status = async ({ from = '127.0.0.1', headers = {} }: Asked = {}) =>
    (await app.inject({ method: 'GET', url: '/metrics', remoteAddress: from, headers })).statusCode
  return { status, clock }
}

test('without a token only loopback may scrape', async (context) => {
  const { status } = await open(context)
  assert.equal(await status(), 200)
  assert.equal(await status({ from: '::1' }), 200)
  assert.equal(await status({ from: '::ffff:127.0.0.1' }), 200)
  assert.equal(await status({ from: elsewhere }), 401)
  assert.equal(await status({ from: elsewhere, headers: right }), 401)
  assert.equal(await status({ from: elsewhere, headers: { authorization: 'Bearer undefined' } }), 401)
})

test('a forwarded request does not count as loopback', async (context) => {
  const { status } = await open(context)
  for (const name of ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via', 'x-client'])
    assert.equal(await status({ headers: { [name]: '127.0.0.1' } }), 401, name)
})

test('a request through a trusted proxy on loopback does not count as loopback', async (context) => {
  const { status } = await open(context, { METRICS_TOKEN: token, TRUSTED_PROXIES: ['127.0.0.1'] })
  assert.equal(await status(), 401)
  assert.equal(await status({ headers: right }), 200)
  assert.equal(await status({ from: '::1' }), 200)
})

test('a loopback request with a foreign Host header is refused', async (context) => {
  const { status } = await open(context)
  assert.equal(await status({ headers: { host: 'rebound.example.org:8103' } }), 401)
  for (const host of ['localhost:8103', '127.0.0.1:8103', '[::1]:8103'])
    assert.equal(await status({ headers: { host } }), 200, host)
})

test('only the exact token allows scraping from other addresses', async (context) => {
  const { status } = await open(context, { METRICS_TOKEN: token })
  assert.equal(await status({ from: elsewhere, headers: right }), 200)
  assert.equal(await status({ from: elsewhere, headers: { ...right, 'x-forwarded-for': '10.0.0.1' } }), 200)
  for (const wrong of [`${token}x`, token.slice(0, -1), '', `${token} x`, token.toUpperCase()])
    assert.equal(await status({ from: elsewhere, headers: { authorization: `Bearer ${wrong}` } }), 401, wrong)
  assert.equal(await status({ from: elsewhere, headers: { authorization: `Basic ${token}` } }), 401)
})

test('wrong tokens throttle only their address, and never the correct token', async (context) => {
  const { status, clock } = await open(context, { METRICS_TOKEN: token })
  const guess = () => status({ from: elsewhere, headers: { authorization: 'Bearer wrong' } })
  for (let index = 0; index < 10; index += 1) assert.equal(await guess(), 401)
  assert.equal(await guess(), 429)
  assert.equal(await status({ from: '198.51.100.1' }), 401)
  assert.equal(await status({ from: elsewhere, headers: right }), 200)
  clock.advance(60_001)
  assert.equal(await guess(), 401)
})
