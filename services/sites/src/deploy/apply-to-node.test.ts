import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startCuttingProxy, type CuttingProxy } from '../../test/cutting-proxy.ts'
import { startCaddy, type RealCaddy } from '../../test/real-caddy.ts'
import { makeNode, makeSite } from '../../test/site-makers.ts'
import { locateError } from '../caddy/locate-error.ts'
import { compileConfig } from '../caddy/compile.ts'
import type { CompiledSite } from '../caddy/desired-state.ts'
import type { AdminAddress } from './nodes/admin-address.ts'
import { createAdminClient } from './nodes/admin-client.ts'
import { applyToNode, type NodeTask } from './apply-to-node.ts'
import { isRunning, settleConfig } from './nodes/running-config.ts'
import { checkServed } from './apply-node.ts'

const says = (id: number, body: string): CompiledSite =>
  makeSite(id, { kind: 'respond', domains: [`s${id}.test`], tls: { mode: 'off' }, respond: { body } })

/** Our rules would not let it in, and Caddy does not either. */
function broken(id: number): CompiledSite {
  const site = makeSite(id, {
    domains: [`s${id}.test`],
    tls: { mode: 'off' },
    upstreams: [{ url: 'http://127.0.0.1:9' }],
    request_headers: [{ op: 'set', name: 'X-Test', value: 'x' }],
    basic_auth: [{ username: 'somebody', password: 'long-enough' }],
  })
  return { ...site, passwordHashes: { somebody: 'no hash at all' } }
}

interface TestFixture extends AsyncDisposable {
  readonly caddy: RealCaddy
  readonly proxy: CuttingProxy
  readonly announced: string[]
  task(sites: readonly CompiledSite[], more?: Partial<NodeTask>): NodeTask
  /** Applies and takes what came of it for expected from now on. */
  apply(sites: readonly CompiledSite[], more?: Partial<NodeTask>): ReturnType<typeof applyToNode>
}

async function openFixture(): Promise<TestFixture> {
  const caddy = await startCaddy()
  const proxy = await startCuttingProxy(caddy.socket)
  const announced: string[] = []
  let expected: NodeTask['expected']
  let last: NodeTask['last']
  const node = makeNode('oldest', {
    admin: { listen: caddy.adminListen },
    httpPort: caddy.httpPort,
    httpsPort: caddy.httpsPort,
    bind: ['127.0.0.1'],
  })
  const task: TestFixture['task'] = (sites, more = {}) => ({
    client: createAdminClient(proxy.address),
    expected,
    last,
    familiar: new Set(),
    isForced: false,
    refused: new Map(),
    adjust: () => Promise.resolve(false),
    announce: (sha) => Promise.resolve(void announced.push(sha)),
    compile(quarantined) {
      const kept = sites.filter(({ id }) => !quarantined.has(id))
      const { config, positions } = compileConfig({ sites: kept, options: { catchAll: 'not_found' } }, node)
      return { config, settled: settleConfig(config), locateError: (text) => locateError(text, positions) }
    },
    check: () => checkServed({ host: '127.0.0.1', httpPort: caddy.httpPort }, []),
    ...more,
  })
  return {
    caddy,
    proxy,
    announced,
    task,
    async apply(sites, more) {
      const outcome = await applyToNode(task(sites, more))
      if (outcome.kind !== 'applied') return outcome
      const { sha, text } = outcome.settled
      expected = { sha, readText: () => Promise.resolve(text) }
      last = outcome.snapshot
      return outcome
    },
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]()
      await caddy.stop()
    },
  }
}

const textOf = async (caddy: RealCaddy, id: number) => (await caddy.get(`s${id}.test`, '/')).text

test('sites are applied, and an unchanged configuration is not sent again', async () => {
  await using bench = await openFixture()
  const sites = [says(1, 'one'), says(2, 'two')]
  const first = await bench.apply(sites)
  assert.equal(first.kind === 'applied' && first.isChanged, true)
  assert.equal(await textOf(bench.caddy, 2), 'two')
  const again = await bench.apply(sites)
  assert.equal(again.kind === 'applied' && again.isChanged, false)
  assert.equal(bench.proxy.passed, 1)
  assert.equal(bench.announced.length, 1)
})

test('a site that Caddy refuses is quarantined with Caddy’s message, and the others are served', async () => {
  await using bench = await openFixture()
  const outcome = await bench.apply([says(1, 'one'), broken(2), says(3, 'three'), broken(4)])
  assert.equal(outcome.kind, 'applied')
  const quarantined = outcome.kind === 'applied' ? outcome.quarantined : new Map<number, string>()
  assert.deepEqual(
    [...quarantined.keys()].sort((a, b) => a - b),
    [2, 4],
  )
  assert.match(quarantined.get(2) ?? '', /base64|bcrypt|hash/i)
  assert.equal(await textOf(bench.caddy, 3), 'three')
  const before = bench.proxy.passed
  await bench.apply([says(1, 'one'), broken(2), says(3, 'changed'), broken(4)], { refused: quarantined })
  assert.equal(bench.proxy.passed, before + 1)
  assert.equal(await textOf(bench.caddy, 3), 'changed')
})

test('a load that meets a certificate being stored is retried and quarantines no site', async () => {
  await using bench = await openFixture()
  const client = bench.task([]).client
  const words =
    'automate: manage [s1.test]: s1.test: caching certificate: decoding certificate metadata: unexpected end'
  let refusals = 2
  const unlucky: NodeTask['client'] = {
    ...client,
    replaceConfig(config, etag) {
      refusals -= 1
      return refusals < 0 ? client.replaceConfig(config, etag) : Promise.resolve({ kind: 'rejected', text: words })
    },
  }
  const outcome = await bench.apply([says(1, 'one')], { client: unlucky })
  assert.deepEqual([outcome.kind, outcome.kind === 'applied' && outcome.quarantined.size], ['applied', 0])
  refusals = Infinity
  const never = await bench.apply([says(1, 'two')], { client: unlucky })
  assert.equal(never.kind, 'rejected')
  assert.equal(await textOf(bench.caddy, 1), 'one')
})

test('foreign changes are not overwritten unless that is requested', async () => {
  await using bench = await openFixture()
  await bench.apply([says(1, 'one')])
  const foreign = (await bench.caddy.config()) as { apps: { http: { grace_period: number } } }
  foreign.apps.http.grace_period = 5
  await bench.caddy.load(foreign)
  const outcome = await bench.apply([says(1, 'two')])
  assert.deepEqual(outcome, { kind: 'drifted', running: foreign })
  assert.equal(await textOf(bench.caddy, 1), 'one')
  assert.equal((await bench.apply([says(1, 'two')], { isForced: true })).kind, 'applied')
  assert.equal(await textOf(bench.caddy, 1), 'two')
})

test('a change made between reading and writing is detected', async () => {
  await using bench = await openFixture()
  await bench.apply([says(1, 'one')])
  const foreign = (await bench.caddy.config()) as { apps: { http: { grace_period: number } } }
  foreign.apps.http.grace_period = 7
  bench.proxy.meanwhile = async () => void (await bench.caddy.load(foreign))
  assert.equal((await bench.apply([says(1, 'two')])).kind, 'drifted')
  assert.equal(await textOf(bench.caddy, 1), 'one')
})

test('a lost response is resolved by reading the running configuration; a lost request is sent again', async () => {
  await using bench = await openFixture()
  await bench.apply([says(1, 'one')])
  bench.proxy.cuts.push('after')
  assert.equal((await bench.apply([says(1, 'two')])).kind, 'applied')
  assert.equal(bench.proxy.passed, 2)
  bench.proxy.cuts.push('before', 'before')
  assert.equal((await bench.apply([says(1, 'three')])).kind, 'applied')
  assert.equal(bench.proxy.passed, 3)
  assert.equal(await textOf(bench.caddy, 1), 'three')
})

test('a restarted Caddy receives the whole configuration again', async () => {
  await using bench = await openFixture()
  await bench.apply([says(1, 'one')])
  await bench.caddy.load({ admin: { listen: bench.caddy.adminListen } })
  assert.equal((await bench.apply([says(1, 'one')])).kind, 'applied')
  assert.equal(await textOf(bench.caddy, 1), 'one')
})

test('a change that fails the check afterwards is rolled back', async () => {
  await using bench = await openFixture()
  await bench.apply([says(1, 'one')])
  const check = () => Promise.resolve('not as it should be')
  const outcome = await bench.apply([says(1, 'two')], { check })
  assert.deepEqual(outcome, { kind: 'rolled-back', text: 'not as it should be', quarantined: new Map() })
  assert.equal(await textOf(bench.caddy, 1), 'one')
})

test('a refusal that names no site changes nothing', async () => {
  await using bench = await openFixture()
  await bench.apply([says(1, 'one')])
  const config = { admin: { listen: bench.caddy.adminListen }, apps: { none: {} } }
  const outcome = await bench.apply([says(1, 'two')], {
    compile: () => ({ config, settled: settleConfig(config), locateError: () => undefined }),
  })
  assert.equal(outcome.kind, 'rejected')
  assert.equal(await textOf(bench.caddy, 1), 'one')
})

test('a rollback does not overwrite a later foreign change', async () => {
  await using bench = await openFixture()
  await bench.apply([says(1, 'one')])
  const foreign = { admin: { listen: bench.caddy.adminListen }, apps: { http: { grace_period: '9s' } } }
  const check = async () => {
    await bench.caddy.load(foreign)
    return 'not as it should be'
  }
  assert.equal((await bench.apply([says(1, 'two')], { check })).kind, 'drifted')
  assert.deepEqual(await bench.caddy.config(), foreign)
})

test('a failed first change restores the configuration from before the service', async () => {
  await using bench = await openFixture()
  const before = await bench.caddy.config()
  const outcome = await bench.apply([says(1, 'one')], { check: () => Promise.resolve('not as it should be') })
  assert.equal(outcome.kind, 'rolled-back')
  assert.deepEqual(await bench.caddy.config(), before)
})

test('an unchanged configuration is recognised without parsing it, whatever characters it holds', async () => {
  await using bench = await openFixture()
  await bench.apply([says(1, '<b>"one" & \u2028 ü 🎈</b>')])
  const { text } = await createAdminClient(bench.proxy.address).readConfig()
  const settled = settleConfig(JSON.parse(text))
  const unparsed = {
    text,
    get config(): unknown {
      throw new Error('it was parsed')
    },
  }
  assert.equal(isRunning({ ...settled, sha: 'another' }, unparsed), true)
  assert.throws(() => isRunning(settleConfig({}), unparsed), /it was parsed/)
})

test('an unreachable node is reported as unreachable', async () => {
  await using bench = await openFixture()
  const gone: AdminAddress = { kind: 'tcp', host: '127.0.0.1', port: 9 }
  const outcome = await applyToNode(bench.task([], { client: createAdminClient(gone) }))
  assert.equal(outcome.kind, 'unreachable')
})
