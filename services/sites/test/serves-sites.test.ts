import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { canonicalJson } from '../src/caddy/canonical-json.ts'
import { oldestCapabilities } from '../src/caddy/capabilities.ts'
import { compileConfig } from '../src/caddy/compile.ts'
import type { CompiledSite, ConfigOptions } from '../src/caddy/desired-state.ts'
import { isSentinelError, withSentinel } from '../src/caddy/sentinel.ts'
import { caddyObstacle, startCaddy, type RealCaddy } from './real-caddy.ts'
import { makeNode, makeSite } from './site-makers.ts'

describe('sites on a real Caddy', { skip: caddyObstacle() }, () => {
  let caddy: RealCaddy
  let origin: Server
  let upstream = ''

  before(async () => {
    caddy = await startCaddy()
    origin = createServer((request, response) =>
      response.end(`${request.method} ${request.url} ${request.headers.host}`),
    )
    origin.listen(0, '127.0.0.1')
    await once(origin, 'listening')
    upstream = `http://127.0.0.1:${(origin.address() as { port: number }).port}`
  })
  after(async () => {
    origin.close()
    await caddy.stop()
  })

  const configOf = (sites: CompiledSite[], options: Partial<ConfigOptions> = {}) =>
    compileConfig(
      { sites, options: { catchAll: 'not_found', ...options } },
      makeNode('oldest', {
        admin: { listen: caddy.adminListen },
        httpPort: caddy.httpPort,
        httpsPort: caddy.httpsPort,
        bind: ['127.0.0.1'],
        capabilities: oldestCapabilities,
      }),
    ).config
  const serve = async (sites: CompiledSite[], options: Partial<ConfigOptions> = {}) => {
    const config = configOf(sites, options)
    assert.deepEqual(await caddy.load(config), { status: 200, error: '' })
    return config
  }

  test('a proxy answers over HTTPS with the internal authority, plain HTTP leads there, strangers get 404', async () => {
    await serve([
      makeSite(1, { site_name: 'a', domains: ['a.test'], upstreams: [{ url: upstream }], tls: { mode: 'internal' } }),
    ])
    const page = await caddy.get('a.test', '/x?y=1', { https: true })
    assert.equal(page.text, 'GET /x?y=1 a.test')
    assert.match(page.certificate?.issuer ?? '', /Caddy Local Authority/)
    const plain = await caddy.get('a.test', '/x?y=1')
    assert.deepEqual([plain.status, plain.headers.location], [308, `https://a.test:${caddy.httpsPort}/x?y=1`])
    assert.equal((await caddy.get('other.test', '/')).status, 404)
    await assert.rejects(caddy.get('other.test', '/', { https: true }))
  })

  test('what was sent is what is read back', async () => {
    const config = await serve([
      makeSite(1, { site_name: 'ä', domains: ['a.test'], upstreams: [{ url: upstream }], tls: { mode: 'off' } }),
    ])
    assert.equal(canonicalJson(await caddy.config()), canonicalJson(config))
  })

  test('a dry run says good or bad and changes nothing', async () => {
    await serve([
      makeSite(1, {
        site_name: 'a',
        domains: ['a.test'],
        kind: 'respond',
        respond: { body: 'one' },
        tls: { mode: 'off' },
      }),
    ])
    const next = configOf([
      makeSite(1, {
        site_name: 'a',
        domains: ['a.test'],
        kind: 'respond',
        respond: { body: 'two' },
        tls: { mode: 'off' },
      }),
    ])
    const dry = await caddy.load(withSentinel(next))
    assert.equal(dry.status, 400)
    assert.ok(isSentinelError(dry.error), dry.error)
    assert.equal((await caddy.get('a.test', '/')).text, 'one')
  })
})
