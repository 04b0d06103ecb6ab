import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, chmod, chown, mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { eventually, freePort, runCommand, startServiceProcess, temporaryDirectory } from '@hearth/testing'
import { addressOf, startFakeNameserver } from './fake-nameserver.ts'
import { askAt } from './loopback-resolver.ts'

/** The whole service as processes, on loopback, with simulated tunnels: what needs no tunnel to be seen. */

const commandLine = join(import.meta.dirname, '../../../cli/hearth.mjs')

/** Settings of a service that answers on a port of loopback, as the peer `phone`. */
async function openWorld(more: Record<string, string> = {}) {
  const cleanup = new AsyncDisposableStack()
  const folder = cleanup.use(await temporaryDirectory('dns-service'))
  const upstream = cleanup.use(await startFakeNameserver())
  const port = await freePort()
  const environment = {
    DATA_DIR: join(folder.path, 'data'),
    WIREGUARD_BACKEND: 'simulated',
    RATE_LIMIT_EXEMPT: '127.0.0.1',
    DNS_LISTEN: `127.0.0.1:${port}`,
    DNS_LISTEN_CLIENT: 'phone',
    DNS_UPSTREAMS: `udp://127.0.0.1:${upstream.port}`,
    LOG_LEVEL: 'warn',
    ...more,
  }
  const ask = (name: string, timeoutMs?: number) => askAt(port, name, timeoutMs)
  return { environment, folder: folder.path, upstream, ask, [Symbol.asyncDispose]: () => cleanup.disposeAsync() }
}

async function administrator(environment: Record<string, string>, url: string) {
  const words = ['vpn', 'token', 'create', '--user', 'admin', '--name', 'test', '--permissions', 'full']
  const { stdout } = await runCommand(words, environment)
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies freely
  return async (method: string, path: string, body?: unknown): Promise<any> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${stdout.trim()}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const answer = await response.json()
    assert.ok(response.ok, JSON.stringify(answer))
    return answer
  }
}

for (const engine of ['ffi', 'dgram'])
  test(`with ${engine}: DNS_LISTEN answers as the named peer, applies rules at once, and logs queries`, async () => {
    await using world = await openWorld({ DNS_ENGINE: engine })
    await using service = await startServiceProcess('vpn', world.environment)
    const call = await administrator(world.environment, service.url)
    await call('POST', '/api/interfaces', { name: 'wg0', address: '10.8.0.1/24' })
    const { data: phone } = await call('POST', '/api/peers', { name: 'phone', interface: 'wg0' })
    // A new peer reaches the resolver after the request that made it is answered.
    const { addresses } = await eventually(
      () => world.ask('www.example'),
      (answer) => answer.addresses.length > 0,
      { what: 'an answer to the new peer' },
    )
    assert.deepEqual(addresses, [addressOf('www.example')])
    await call('POST', '/api/dns/rules', { action: 'block', domain: 'example', client: 'phone' })
    assert.equal((await world.ask('www.example')).isBlocked, true)
    const { data: status } = await call('GET', '/api/dns/status')
    assert.deepEqual([status.running, status.engine, status.listeners.length], [true, engine, 1])
    const entry = await eventually(
      async () => (await call('GET', '/api/dns/queries?status=blocked')).data[0],
      (found) => found !== undefined,
    )
    assert.deepEqual(
      [entry.client_id, entry.client, entry.domain, entry.reason, entry.rule],
      [phone.id, 'phone', 'www.example', 'rule', 'example'],
    )
    assert.equal((await world.ask('printer.home.arpa')).rcode, 3)
    const local = await eventually(
      async () => (await call('GET', '/api/dns/queries?reason=local')).data[0],
      (found) => found !== undefined,
    )
    assert.deepEqual([local.domain, local.status, local.rcode], ['printer.home.arpa', 'allowed', 'NXDOMAIN'])
    const { data: why } = await call('GET', '/api/dns/explain?domain=printer.home.arpa&client=phone')
    assert.equal(why.reason, 'local')
    assert.match(why.decided_by, /home\.arpa belongs to the local network \(RFC 8375\)/)
    await call('PUT', '/api/dns/settings', { forwarded_zones: ['Home.Arpa.'] })
    assert.deepEqual((await world.ask('printer.home.arpa')).addresses, [addressOf('printer.home.arpa')])
    await call('PUT', `/api/peers/${phone.id}`, { dns_logging_enabled: false })
    await world.ask('secret.example')
    await call('PUT', `/api/peers/${phone.id}`, { dns_logging_enabled: true })
    await world.ask('later.example')
    const domains = await eventually(
      async () => (await call('GET', '/api/dns/queries')).data.map(({ domain }: { domain: string }) => domain),
      (found: string[]) => found.includes('later.example'),
    )
    assert.equal(domains.includes('secret.example'), false)
  })

/** Process ids of the resolver of this service. */
async function resolversOf(service: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '')))
  return stats.flatMap((stat, n) => {
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return Number(parent) === service && state !== 'Z' ? [Number(pids[n])] : []
  })
}

test('while the resolver hangs rules are stored, the response says so, and they apply afterwards', async () => {
  await using world = await openWorld()
  await using service = await startServiceProcess('vpn', world.environment)
  const call = await administrator(world.environment, service.url)
  await call('POST', '/api/dns/rules', { action: 'block', domain: 'before.example' })
  const over = new AbortController()
  const stopAll = async () => {
    for (const pid of await resolversOf(service.pid)) spawn('kill', ['-STOP', String(pid)])
  }
  await stopAll()
  // Also those that take its place, until the answers are there.
  const stopping = (async () => {
    for (; !over.signal.aborted; await pause(20)) await stopAll()
  })()
  const { rule, message, changed } = await (async () => {
    const made = await call('POST', '/api/dns/rules', { action: 'block', domain: 'bad.example' })
    return {
      rule: made.data,
      message: made.message,
      changed: await call('PUT', '/api/dns/settings', { block_ttl: 20 }),
    }
  })().finally(() => over.abort())
  await stopping
  assert.match(message, /Blocks bad\.example; the resolver does not answer at the moment/)
  assert.match(changed.message, /DNS settings changed; the resolver does not answer/)
  await eventually(
    () => world.ask('bad.example', 500).catch(() => undefined),
    (answer) => answer?.isBlocked === true,
  )
  assert.ok((await call('GET', '/api/dns/status')).data.restarts >= 1)
  assert.equal((await call('DELETE', `/api/dns/rules/${rule.id}`)).message, 'Rule for bad.example deleted')
})

test('after a restart names resolve while the service is still loading', async () => {
  await using world = await openWorld()
  {
    await using service = await startServiceProcess('vpn', world.environment)
    const call = await administrator(world.environment, service.url)
    await call('POST', '/api/dns/rules', { action: 'block', domain: 'bad.example' })
  }
  const answered = eventually(
    () => world.ask('bad.example', 20),
    ({ isBlocked }) => isBlocked,
    { seconds: 20, everyMs: 5 },
  ).then(() => performance.now())
  await using service = await startServiceProcess('vpn', world.environment)
  const listening = performance.now()
  assert.ok(service.pid > 0)
  assert.ok((await answered) < listening)
})

test('the service works as an unprivileged user', async (context) => {
  const repository = join(import.meta.dirname, '../../..')
  const isRoot = process.geteuid?.() === 0
  const setpriv = await access('/usr/bin/setpriv').then(
    () => true,
    () => false,
  )
  if (!isRoot || !setpriv)
    return context.skip(isRoot ? 'needs setpriv' : 'runs on an account without privileges anyway')
  await using world = await openWorld()
  await chmod(world.folder, 0o755)
  await mkdir(world.environment.DATA_DIR)
  await chown(world.environment.DATA_DIR, 65_534, 65_534)
  const account = ['--reuid=65534', '--regid=65534', '--clear-groups']
  const readable = spawn('setpriv', [
    ...account,
    process.execPath,
    '-e',
    `require('node:fs').readdirSync(${JSON.stringify(repository)})`,
  ])
  const [code] = (await once(readable, 'exit')) as [number | null]
  if (code !== 0) return context.skip('nobody may not read this checkout')
  const variables = { ...world.environment, BIND_PORT: '0', PATH: process.env['PATH'] ?? '', HOME: '/nonexistent' }
  const child = spawn('setpriv', [...account, process.execPath, commandLine, 'vpn', 'serve'], {
    env: variables,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const lines = createInterface({ input: child.stdout })
    await Promise.race([
      (async () => {
        for await (const line of lines) if (line.startsWith('listening on ')) return
      })(),
      pause(30_000, undefined, { ref: false }).then(() => Promise.reject(new Error('it does not listen'))),
    ])
    assert.deepEqual((await world.ask('www.example')).addresses, [addressOf('www.example')])
  } finally {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
})

test('a wrong DNS setting ends the start with one line that names it', async () => {
  for (const [name, value] of [
    ['DNS_LISTEN', 'localhost:53'],
    ['DNS_UPSTREAMS', 'tls://dns.example'],
    ['DNS_ENGINE', 'fast'],
  ] as const) {
    await using folder = await temporaryDirectory('dns-wrong')
    const { code, stderr } = await runCommand(['vpn', 'serve'], { DATA_DIR: join(folder.path, 'data'), [name]: value })
    assert.deepEqual([code, stderr.trim().split('\n').length], [1, 1], stderr)
    assert.match(stderr, new RegExp(name))
  }
})
