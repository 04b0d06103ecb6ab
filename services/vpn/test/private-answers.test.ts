import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Reason, Status } from '../src/dns/policy/verdict.ts'
import { startFakeNameserver } from './fake-nameserver.ts'
import { startService } from './in-process.ts'
import { startResolverFixture, type ResolverContent } from './loopback-resolver.ts'

const inside = '192.168.1.7'
const zone = {
  'rebind.example': { a: inside },
  'alias.example': { cname: 'rebind.example' },
  'split.example': { a: inside },
  'sub.allowed.example': { a: inside },
  'ruled.example': { a: inside },
  '192-168-1-7.0123.plex.direct': { a: inside },
  'fritz.box': { a: inside },
  'nas.home.arpa': { a: inside },
  'nas.lan': { a: inside },
  router: { a: inside },
}

/** A resolver as a new installation has it, and what it says to an A query, live and when asked why; they agree. */
async function start(content: Omit<ResolverContent, 'upstreamPort'> = {}) {
  await using cleanup = new AsyncDisposableStack()
  const upstream = cleanup.use(await startFakeNameserver(zone))
  const fixture = cleanup.use(await startResolverFixture({ ...content, upstreamPort: upstream.port }))
  const kept = cleanup.move()
  return {
    async outcome(domain: string): Promise<string> {
      const live = await fixture.ask(domain)
      const { verdict } = await fixture.resolver.explain({ domain, client: 0, resolve: true, qtype: 1 })
      const isBlocked = verdict.status === Status.blocked
      assert.equal(live.isBlocked, isBlocked, `${domain}: ${JSON.stringify({ live, verdict })}`)
      if (!isBlocked) return live.addresses.join(' ')
      return verdict.reason === Reason.privateAnswer ? 'private' : 'blocked'
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

const rule = { number: 1, action: 'allow', domain: 'ruled.example', belowOnly: false, client: 0 } as const

test('public names must not resolve to private networks, unless a rule, setting or well-known domain allows it', async () => {
  await using it = await start({
    rules: [rule],
    settings: { forwardedZones: ['home.arpa'], privateAnswersAllowed: ['allowed.example'] },
  })
  assert.equal(await it.outcome('rebind.example'), 'private')
  assert.equal(await it.outcome('alias.example'), 'private')
  assert.equal(await it.outcome('split.example'), 'private')
  for (const domain of [
    'ruled.example',
    'sub.allowed.example',
    'nas.home.arpa',
    '192-168-1-7.0123.plex.direct',
    'fritz.box',
    'nas.lan',
    'router',
  ])
    assert.equal(await it.outcome(domain), inside, domain)
  assert.match(await it.outcome('public.example'), /^185\.199\./)
})

test('with the protection off, or filtering off, every answer is passed on', async () => {
  for (const settings of [{ blockPrivateAnswers: false }, { blockingEnabled: false }]) {
    await using it = await start({ settings })
    assert.equal(await it.outcome('rebind.example'), inside)
  }
})

test('an installation without a choice is protected; an explicit choice is kept', async () => {
  await using service = await startService()
  const read = async () => (await service.call('GET', '/api/dns/settings')).body.data.block_private_answers
  assert.equal(await read(), true)
  await service.call('PUT', '/api/dns/settings', { block_ttl: 20 })
  assert.equal(await read(), true)
  const changed = await service.call('PUT', '/api/dns/settings', { block_private_answers: false })
  assert.equal(changed.status, 200)
  assert.equal(await read(), false)
})
