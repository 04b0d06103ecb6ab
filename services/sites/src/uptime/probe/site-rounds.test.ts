import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createManualClock } from '@hearth/runtime'
import { makeRecord } from '../../../test/site-makers.ts'
import { furtherInterval, stretchOf } from '../schedule.ts'
import type { CheckOutcome } from './check-site.ts'
import { probesOf } from './site-probes.ts'
import { SiteRounds } from './site-rounds.ts'

const minute = 60_000
const context = { now: 0, upstreamNote: '', areUpstreamsDown: false }
const endpoint = (address: string) => ({ address, httpPort: 80, httpsPort: 443 })

const good: CheckOutcome = { latencyMs: 5, cameBack: 'ok', failure: undefined }
const failed = (asked: string): CheckOutcome => ({
  latencyMs: undefined,
  cameBack: 'refused',
  failure: { kind: 'tls', asked, came_back: 'refused', advice: '' },
})

/** Rounds of one site with so many names at so many servers; names in `broken`, as `host@address`, fail. */
function openRounds({ names = 1, servers = 1 }: { names?: number; servers?: number }) {
  const clock = createManualClock(0)
  const broken = new Set<string>()
  const asked: string[] = []
  const rounds = new SiteRounds({
    clock,
    check({ host }, { endpoint: at }) {
      const where = `${host}@${at?.address}`
      asked.push(where)
      return Promise.resolve(broken.has(where) ? failed(where) : good)
    },
  })
  const plan = (count: number) => {
    const record = makeRecord({
      site_name: 'A',
      domains: Array.from({ length: count }, (_, index) => `n${index}.test`),
      tls: { mode: 'internal' },
      upstreams: [{ url: 'http://10.0.0.5' }],
    })
    const all = Array.from({ length: servers }, (_, index) => {
      return { id: index + 1, name: `caddy-${index + 1}`, endpoint: endpoint(`10.0.0.${index + 1}`) }
    })
    return new Map([[1, probesOf({ id: 1, name: 'A', record, servers: all }, false)]])
  }
  rounds.setSites(plan(names))
  return {
    rounds,
    broken,
    /** A round a minute; returns what failed, and what was asked. */
    round: async (isDown = false) => {
      asked.length = 0
      const outcome = await rounds.check(1, isDown, context)
      clock.advance(minute)
      return { failed: outcome?.failure?.asked, asked: [...asked] }
    },
    setNames: (count: number) => rounds.setSites(plan(count)),
  }
}

test('every round requests the first name, and each other name is checked once in ten minutes', async () => {
  const { round } = openRounds({ names: 4 })
  const asked = []
  for (let number = 0; number < 30; number += 1) asked.push(...(await round()).asked)
  const counts = new Map(
    Map.groupBy(asked, (where) => where)
      .entries()
      .map(([where, all]) => [where, all.length]),
  )
  assert.equal(counts.get('n0.test@10.0.0.1'), 30)
  for (const name of ['n1', 'n2', 'n3']) assert.equal(counts.get(`${name}.test@10.0.0.1`), 3, name)
})

test('a name that fails is checked in every round until it is good, and the result names it', async () => {
  const { round, broken, rounds } = openRounds({ names: 3 })
  broken.add('n2.test@10.0.0.1')
  let found = await round()
  for (let left = 10; found.failed === undefined && left > 0; left -= 1) found = await round()
  assert.equal(found.failed, 'n2.test@10.0.0.1')
  assert.equal(rounds.requestsOf(1), 2)
  for (let number = 0; number < 3; number += 1) {
    const again = await round(true)
    assert.deepEqual([again.failed, again.asked.includes('n2.test@10.0.0.1')], ['n2.test@10.0.0.1', true])
  }
  broken.clear()
  assert.equal((await round(true)).failed, undefined)
  assert.equal(rounds.requestsOf(1), 1)
})

test('a site that fails under its first name is not checked under others', async () => {
  const { round, broken } = openRounds({ names: 20 })
  broken.add('n0.test@10.0.0.1')
  for (let number = 0; number < 20; number += 1) assert.deepEqual((await round()).asked, ['n0.test@10.0.0.1'])
  broken.clear()
  // All are due then, and come a few at a time.
  assert.equal((await round()).asked.length, 6)
})

test('a site is as good as at its worst server', async () => {
  const { round, broken } = openRounds({ servers: 2 })
  assert.deepEqual(await round(), { failed: undefined, asked: ['n0.test@10.0.0.1', 'n0.test@10.0.0.2'] })
  broken.add('n0.test@10.0.0.2')
  assert.equal((await round()).failed, 'n0.test@10.0.0.2')
})

test('a site that was down when the service ended is not up before all of its names are', async () => {
  const { round, broken } = openRounds({ names: 20 })
  broken.add('n0.test@10.0.0.1').add('n19.test@10.0.0.1')
  assert.deepEqual(await round(true), { failed: 'n0.test@10.0.0.1', asked: ['n0.test@10.0.0.1'] })
  broken.delete('n0.test@10.0.0.1')
  assert.equal((await round(true)).failed, 'n19.test@10.0.0.1')
})

test('a name that is added gets ten minutes for its certificate', async () => {
  const { round, broken, setNames } = openRounds({ names: 1 })
  await round()
  broken.add('n1.test@10.0.0.1')
  setNames(2)
  for (let number = 0; number < 9; number += 1) assert.equal((await round()).failed, undefined)
  await round()
  assert.equal((await round()).failed, 'n1.test@10.0.0.1')
  setNames(1)
  assert.equal((await round()).failed, undefined)
})

test('very many names are checked less often, and leave most of the checks to the sites', () => {
  assert.equal(furtherInterval(100), 600_000)
  assert.equal(furtherInterval(60_000), 12_000_000)
  const fastest = Array<number>(2400).fill(30_000)
  assert.equal(stretchOf(fastest).toFixed(6), '2.000000')
  assert.equal(stretchOf(fastest, 1_000_000).toFixed(6), (80 / 35).toFixed(6))
})
