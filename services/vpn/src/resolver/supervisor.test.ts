import assert from 'node:assert/strict'
import { chmod, chown, mkdir, readdir, writeFile } from 'node:fs/promises'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { execa } from 'execa'
import { writeFileAtomic } from '@hearth/runtime'
import { eventually } from '@hearth/testing'
import { ask } from '../../test/dns-client.ts'
import { addressRecord, makeAnswer } from '../../test/dns-packets.ts'
import { startUpstream } from '../../test/dns-upstream.ts'
import { freeListener, resolverFixture, upstreamAt } from '../../test/resolver-fixture.ts'
import type { ResolverList } from '../dns/resolver-files.ts'
import { ResolverSupervisor } from './supervisor.ts'

const resolverFile = fileURLToPath(new URL('resolver.ts', import.meta.url))
const testFile = (name: string) => fileURLToPath(new URL(`../../test/${name}`, import.meta.url))
const answering = () => startUpstream((query) => makeAnswer(query, [addressRecord('192.0.2.1')]))

/** A supervised resolver at a free port. */
async function supervised(): Promise<
  AsyncDisposable & { supervisor: ResolverSupervisor; port: number; directory: string; warnings: string[] }
> {
  const upstream = await answering()
  const listener = await freeListener()
  const fixture = await resolverFixture({ listeners: [listener], upstreams: [upstreamAt(upstream.port)] })
  const warnings: string[] = []
  const supervisor = new ResolverSupervisor(fixture.directory)
  supervisor.attach({ warn: (line: string) => warnings.push(line) }, () => undefined)
  await supervisor.ready()
  return {
    supervisor,
    port: listener.port,
    directory: fixture.directory,
    warnings,
    async [Symbol.asyncDispose]() {
      await supervisor.close()
      await fixture[Symbol.asyncDispose]()
      await upstream[Symbol.asyncDispose]()
    },
  }
}

async function writeLists(directory: string, lists: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(join(directory, 'lists'), { recursive: true })
  const records: ResolverList[] = []
  for (const [id, text] of Object.entries(lists)) {
    await writeFileAtomic(join(directory, 'lists', `${id}.txt`), text)
    const sha256 = createHash('sha256').update(text).digest('hex')
    records.push({ number: records.length, id, name: id, format: 'domains', sha256 })
  }
  await writeFileAtomic(join(directory, 'lists.json'), JSON.stringify(records))
}

const isRunning = async (pid: number): Promise<boolean> =>
  readFile(`/proc/${pid}/stat`, 'utf8').then(
    (stat) => !stat.includes(') Z '),
    () => false,
  )

test('a killed resolver answers again at once from the same files', { timeout: 60_000 }, async (context) => {
  await using running = await supervised()
  const { supervisor, port, directory } = running
  await writeLists(directory, { ads: 'ads.example\n' })
  assert.equal((await supervisor.changedLists()).names, 1)
  const blocked = (answer: { addresses: readonly string[] } | undefined) => answer?.addresses[0] === '0.0.0.0'
  assert.ok(blocked(await ask(port, { name: 'x.ads.example' })))
  const took: number[] = []
  for (let times = 1; times <= 3; times++) {
    const pid = supervisor.pid!
    process.kill(pid, 'SIGKILL')
    const since = performance.now()
    await eventually(
      () => ask(port, { name: 'x.ads.example', timeoutMs: 20 }),
      (answer) => blocked(answer) && supervisor.pid !== pid,
      { everyMs: 2 },
    )
    took.push(Math.round(performance.now() - since))
    await eventually(
      () => supervisor.state,
      (state) => state !== undefined,
    )
  }
  assert.equal(supervisor.restarts, 3)
  // How long that may take is measured by the benchmark.
  context.diagnostic(`it took ${took.join(', ')} ms`)
  assert.deepEqual((await ask(port, { name: 'fine.example' }))?.addresses, ['192.0.2.1'])
})

test(
  'where lists come first, the first answer after a start without compiled ones blocks',
  { timeout: 60_000 },
  async () => {
    const upstream = await answering()
    await using stack = new AsyncDisposableStack()
    stack.use(upstream)
    const listener = await freeListener()
    const fixture = stack.use(await resolverFixture({ listeners: [listener], upstreams: [upstreamAt(upstream.port)] }))
    const names = Array.from({ length: 50_000 }, (_, n) => `n${n}.example`)
    await writeLists(fixture.directory, { ads: names.join('\n') })
    const supervisor = new ResolverSupervisor(fixture.directory, { isListsFirst: true })
    stack.defer(() => supervisor.close())
    const first = await eventually(
      () => ask(listener.port, { name: 'n7.example', timeoutMs: 20 }),
      (answer) => answer !== undefined,
      { everyMs: 2, seconds: 30 },
    )
    assert.deepEqual(first?.addresses, ['0.0.0.0'])
    assert.equal(supervisor.restarts, 0)
  },
)

test('a stopped resolver is replaced, and updates sent meanwhile apply', { timeout: 60_000 }, async (context) => {
  await using running = await supervised()
  const { supervisor, port, directory, warnings } = running
  const pid = supervisor.pid!
  process.kill(pid, 'SIGSTOP')
  const since = performance.now()
  const rule = { number: 4, action: 'block', domain: 'ads.example', belowOnly: false, client: 0 }
  await writeFileAtomic(join(directory, 'rules.json'), JSON.stringify([rule]))
  await supervisor.changed('rules')
  // How long that may take follows from the tests of the watchdog.
  context.diagnostic(`in force after ${Math.round(performance.now() - since)} ms`)
  assert.notEqual(supervisor.pid, pid)
  assert.deepEqual((await ask(port, { name: 'x.ads.example' }))?.addresses, ['0.0.0.0'])
  assert.deepEqual(warnings, [
    'the resolver is stopped; it is replaced',
    'the resolver ended (SIGKILL); it is started again',
  ])
})

const canStarve = await Promise.all(['taskset', 'chrt'].map((name) => execa('which', [name]))).then(
  () => true,
  () => false,
)
test(
  'a resolver starved of CPU time is left alone',
  { skip: canStarve ? false : 'needs taskset and chrt', timeout: 120_000 },
  async (context) => {
    await using running = await supervised()
    const { supervisor, warnings } = running
    const pid = supervisor.pid!
    // Every thread of it runs on one processor, and there only when no one else wants to.
    await execa('taskset', ['-acp', '0', String(pid)])
    await execa('chrt', ['-a', '-i', '-p', '0', String(pid)])
    const hogs = Array.from({ length: 3 }, () =>
      execa('taskset', ['-c', '0', process.execPath, '-e', 'for (;;);'], { reject: false }),
    )
    try {
      let longest = 0
      const until = performance.now() + 10_000
      while (performance.now() < until) {
        longest = Math.max(longest, supervisor.quietMs)
        await pause(50)
      }
      context.diagnostic(`no sign of life for up to ${Math.round(longest)} ms`)
      assert.deepEqual([supervisor.pid, supervisor.restarts, warnings], [pid, 0, []])
    } finally {
      for (const hog of hogs) hog.kill('SIGKILL')
      await Promise.all(hogs)
    }
  },
)

test('lists are replaced under load without losing a query', { timeout: 60_000 }, async () => {
  await using running = await supervised()
  const { supervisor, port, directory } = running
  const text = (word: string) => Array.from({ length: 50_000 }, (_, n) => `${word}${n}.example`).join('\n')
  await writeLists(directory, { one: text('a') })
  await supervisor.changedLists()
  const over = new AbortController()
  const counts = { asked: 0, answered: 0 }
  const load = Array.from({ length: 8 }, async () => {
    while (!over.signal.aborted) {
      counts.asked++
      if ((await ask(port, { name: 'a7.example', timeoutMs: 2000 })) !== undefined) counts.answered++
    }
  })
  for (const word of ['b', 'c', 'a']) {
    await writeLists(directory, { one: text(word), two: text('z') })
    const { names, reports } = await supervisor.changedLists()
    assert.equal(names, 100_000)
    assert.equal(reports.length, 2)
    assert.deepEqual((await ask(port, { name: `${word}3.example` }))?.addresses, ['0.0.0.0'])
  }
  assert.deepEqual((await ask(port, { name: 'b3.example' }))?.addresses, ['192.0.2.1'])
  over.abort()
  await Promise.all(load)
  assert.equal(counts.answered, counts.asked)
  assert.ok(counts.asked > 50)
})

test(
  'the service calls it: state, explanation, an upstream, the log; errors come back in words',
  { timeout: 60_000 },
  async () => {
    await using running = await supervised()
    const { supervisor, port, directory } = running
    assert.equal(supervisor.state?.listeners[0]?.port, port)
    await writeFileAtomic(
      join(directory, 'rules.json'),
      JSON.stringify([{ number: 4, action: 'block', domain: 'ads.example', belowOnly: false, client: 0 }]),
    )
    await supervisor.changed('rules')
    const explained = await supervisor.explain({ domain: 'x.ads.example', client: 0, resolve: false, qtype: 1 })
    assert.deepEqual([explained.verdict.status, explained.verdict.source], [1, 4])
    await assert.rejects(supervisor.explain({ domain: '..', client: 0, resolve: false, qtype: 1 }), /no domain name/)
    const { port: nobody } = await freeListener()
    await assert.rejects(supervisor.testUpstream(`tcp://127.0.0.1:${nobody}`), /REFUSED/)
    await assert.rejects(supervisor.testUpstream('gopher://x'), /none of udp/)
    await writeFile(join(directory, 'clients.json'), 'no json')
    await assert.rejects(supervisor.changed('clients'))
    assert.deepEqual((await ask(port, { name: 'x.ads.example' }))?.addresses, ['0.0.0.0'])
    await supervisor.clearCache()
    await supervisor.purgeLog(Date.now(), null)
  },
)

test(
  'clients whose file was not written yet are known to a resolver that is started at any time',
  { timeout: 120_000 },
  async () => {
    await using running = await supervised()
    const { supervisor, directory } = running
    const client = (number: number, filtering: boolean) => {
      const addresses = [`10.8.0.${number}`]
      return { number, id: `p${number}`, name: `peer ${number}`, addresses, filtering, lists: null, logging: true }
    }
    await writeFileAtomic(
      join(directory, 'rules.json'),
      JSON.stringify([{ number: 4, action: 'block', domain: 'ads.example', belowOnly: false, client: 0 }]),
    )
    await writeFileAtomic(join(directory, 'clients.json'), JSON.stringify([client(1, true), client(2, false)]))
    await supervisor.changed('rules')
    await supervisor.changed('clients')
    /** Returns true if the rule holds for each of the clients. */
    const filtered = () =>
      Promise.all(
        [1, 2, 3].map(async (number) => {
          const { verdict } = await supervisor.explain({
            domain: 'ads.example',
            client: number,
            resolve: false,
            qtype: 1,
          })
          return verdict.status === 1
        }),
      )
    assert.deepEqual(await filtered(), [true, false, true])
    const change = (set: boolean) =>
      supervisor.changedClients({ set: [client(1, set), client(3, !set)], removed: set ? [2] : [] })
    for (const [round, moment] of (['before', 'during', 'after', 'during', 'before', 'after'] as const).entries()) {
      const isSet = round % 2 === 0
      const kill = () => process.kill(supervisor.pid!, 'SIGKILL')
      if (moment === 'before') kill()
      const changed = change(isSet)
      if (moment === 'during') kill()
      await changed
      const pid = supervisor.pid
      if (moment === 'after') kill()
      if (moment === 'after')
        await eventually(
          () => supervisor.pid,
          (now) => now !== undefined && now !== pid,
        )
      assert.deepEqual(await filtered(), [isSet, true, !isSet], `${moment}, round ${round}`)
    }
    const written = supervisor.beginClientsFile()
    await writeFileAtomic(join(directory, 'clients.json'), JSON.stringify([client(1, false), client(3, false)]))
    await supervisor.changedClients({ set: [client(3, true)], removed: [] })
    written()
    const pid = supervisor.pid!
    process.kill(pid, 'SIGKILL')
    await eventually(
      () => supervisor.pid,
      (now) => now !== undefined && now !== pid,
    )
    assert.deepEqual(await filtered(), [false, true, true], 'what changed after the file was begun is not in it')
  },
)

test('a changed engine setting switches the engine at once', { timeout: 60_000 }, async () => {
  await using running = await supervised()
  const { supervisor, port, directory } = running
  const settings = JSON.parse(await readFile(join(directory, 'settings.json'), 'utf8'))
  await writeFileAtomic(join(directory, 'settings.json'), JSON.stringify({ ...settings, engine: 'dgram' }))
  await supervisor.changed('settings')
  await eventually(
    () => supervisor.state?.engine,
    (engine) => engine === 'dgram',
  )
  assert.deepEqual((await ask(port, { name: 'a.example.com' }))?.addresses, ['192.0.2.1'])
})

test('the resolver ends when the service is gone', { timeout: 60_000 }, async () => {
  const listener = await freeListener()
  await using fixture = await resolverFixture({ listeners: [listener] })
  const service = execa(process.execPath, ['--no-warnings', testFile('supervising.ts'), fixture.directory], {
    reject: false,
  })
  const [line] = (await once(service.stdout, 'data')) as [Buffer]
  const pid = Number(line)
  assert.ok(await isRunning(pid))
  service.kill('SIGKILL')
  await service
  await eventually(
    () => isRunning(pid),
    (is) => !is,
  )
})

test(
  'the process title names the resolver, and its environment holds nothing of the service',
  { timeout: 60_000 },
  async () => {
    process.env['HEARTH_TEST_SECRET'] = 'do not hand on'
    try {
      await using running = await supervised()
      const pid = running.supervisor.pid!
      assert.match(await readFile(`/proc/${pid}/cmdline`, 'latin1'), /^hearth-vpn resolver/)
      assert.doesNotMatch(await readFile(`/proc/${pid}/environ`, 'latin1'), /do not hand on/)
    } finally {
      delete process.env['HEARTH_TEST_SECRET']
    }
  },
)

const isRoot = process.geteuid?.() === 0
test(
  'an unprivileged user can run the resolver',
  { skip: isRoot ? false : 'needs root to become another user', timeout: 60_000 },
  async () => {
    await using upstream = await answering()
    const listener = await freeListener()
    await using fixture = await resolverFixture({ listeners: [listener], upstreams: [upstreamAt(upstream.port)] })
    const nobody = 65_534
    await chmod(join(fixture.directory, '..'), 0o755)
    for (const name of ['', ...(await readdir(fixture.directory))])
      await chown(join(fixture.directory, name), nobody, nobody)
    const as = ['--reuid', String(nobody), '--regid', String(nobody), '--clear-groups', '--bounding-set', '-all']
    const command = [process.execPath, '--no-warnings', resolverFile, fixture.directory]
    const child = execa('setpriv', [...as, ...command], { reject: false })
    try {
      const answer = await eventually(
        () => ask(listener.port, { name: 'a.example.com', timeoutMs: 300 }),
        (answer) => answer?.addresses.length === 1,
      )
      assert.deepEqual(answer?.addresses, ['192.0.2.1'])
      assert.match(await readFile(`/proc/${child.pid}/status`, 'utf8'), /Uid:\s+65534/)
    } finally {
      child.kill('SIGTERM')
      const { exitCode, stderr } = await child
      assert.equal(exitCode, 0, stderr)
    }
  },
)
