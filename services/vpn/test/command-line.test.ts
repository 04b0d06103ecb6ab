import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually, runCommand, startServiceProcess, temporaryDirectory } from '@hearth/testing'

const simulated = { WIREGUARD_BACKEND: 'simulated' }
const tokenText = ['vpn', 'token', 'create', '--user', 'admin', '--name', 'script', '--permissions']

test('a token created before or during the service works at once, and stdout is the token only', async () => {
  await using folder = await temporaryDirectory()
  const environment = { ...simulated, DATA_DIR: folder.path }
  const before = await runCommand([...tokenText, 'full'], environment)
  await using service = await startServiceProcess('vpn', environment)
  const during = await runCommand(
    [...tokenText, 'read-only', '--expires', '30d', '--ip', '127.0.0.0/8', '--ip', '::1'],
    environment,
  )
  for (const { code, stdout } of [before, during]) {
    assert.equal(code, 0)
    assert.match(stdout, /^[a-z]+_[A-Za-z0-9]{32,}\n$/)
    const reply = await fetch(`${service.url}/api/peers`, { headers: { authorization: `Bearer ${stdout.trim()}` } })
    assert.equal(reply.status, 200)
  }
})

test('wrong arguments and settings end with one line that names them, and exit code 1', async () => {
  await using folder = await temporaryDirectory()
  const environment = { ...simulated, DATA_DIR: folder.path }
  const cases: [string[], RegExp, Record<string, string>?][] = [
    [
      ['vpn', 'token', 'create', '--user', 'nobody', '--name', 'x', '--permissions', 'full'],
      /--user: there is no user nobody/,
    ],
    [[...tokenText, 'full', '--ip', 'house'], /--ip: .*address/],
    [
      [
        'vpn',
        'user',
        'create',
        '--username',
        'x',
        '--email',
        'x@example.org',
        '--role',
        'user',
        '--password-file',
        '/no/file',
      ],
      /--password-file: cannot read/,
    ],
    [['vpn', 'serve'], /BIND_PORT: must be a port number/, { BIND_PORT: 'http' }],
    [['vpn', 'serve'], /BIND_ADDRESS: must be an IP address/, { BIND_ADDRESS: 'localhost' }],
    [['vpn', 'serve'], /TRUSTED_PROXIES: /, { TRUSTED_PROXIES: '*' }],
    [
      ['vpn', 'serve'],
      /WIREGUARD_BACKEND: must be auto, kernel, userspace or simulated/,
      { WIREGUARD_BACKEND: 'fast' },
    ],
    [
      ['vpn', 'serve'],
      /DATABASE_URL: cannot open the database/,
      { DATABASE_URL: 'postgres://hearth:secret-word@127.0.0.1:1/x' },
    ],
    [['vpn', 'serve'], /DATA_DIR: cannot use/, { DATA_DIR: '/proc/nothing' }],
    [['house'], /unknown command/],
  ]
  for (const [words, message, more] of cases) {
    const { code, stdout, stderr } = await runCommand(words, { ...environment, ...more })
    assert.equal(code, 1, words.join(' '))
    assert.equal(stdout, '')
    assert.match(stderr, message)
    assert.ok(stderr.trim().split('\n').length <= 2, stderr)
    assert.ok(!stderr.includes('secret-word'))
  }
})

test('a second start on the same data directory is refused; the first continues and exits with 0', async () => {
  await using folder = await temporaryDirectory()
  const environment = { ...simulated, DATA_DIR: folder.path }
  await using service = await startServiceProcess('vpn', environment)
  const second = await runCommand(['vpn', 'serve'], { ...environment, BIND_PORT: '0' })
  assert.equal(second.code, 1)
  assert.match(second.stderr, /DATA_DIR: .* is in use by another running service\n$/)
  assert.equal((await fetch(`${service.url}/health`)).status, 200)
  const stream = await fetch(`${service.url}/health`)
  assert.equal(stream.status, 200)
  assert.equal(await service.stop(), 0)
})

test('a stop does not wait for subscribers of the event stream', async () => {
  await using folder = await temporaryDirectory()
  const environment = { ...simulated, DATA_DIR: folder.path }
  const token = (await runCommand([...tokenText, 'full'], environment)).stdout.trim()
  await using service = await startServiceProcess('vpn', environment)
  const events = await fetch(`${service.url}/api/events`, { headers: { authorization: `Bearer ${token}` } })
  assert.equal(events.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  const begin = performance.now()
  assert.equal(await service.stop(), 0)
  assert.ok(performance.now() - begin < 10_000)
  await events.body?.cancel().catch(() => undefined)
})

test('users created on the command line can sign in; the administrator’s password can be reset at run time', async () => {
  await using folder = await temporaryDirectory()
  const environment = { ...simulated, DATA_DIR: folder.path }
  await using service = await startServiceProcess('vpn', environment)
  const file = join(folder.path, 'password')
  await writeFile(file, 'tall-giraffe-on-ice-7\n')
  const made = await runCommand(
    [
      'vpn',
      'user',
      'create',
      '--username',
      'Marie',
      '--email',
      'marie@example.org',
      '--role',
      'user',
      '--password-file',
      file,
    ],
    environment,
  )
  assert.equal(made.code, 0, made.stderr)
  const signIn = (username: string, password: string) =>
    fetch(`${service.url}/api/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username, password }),
    })
  assert.equal((await signIn('marie', 'tall-giraffe-on-ice-7')).status, 200)
  const reset = await runCommand(['vpn', 'reset-admin-password'], environment)
  assert.match(reset.stdout, /^[a-z0-9-]{23}\n$/)
  const session = await signIn('admin', reset.stdout.trim())
  assert.equal(session.status, 200)
  const { data } = (await session.json()) as { data: { password_change_required: boolean } }
  assert.equal(data.password_change_required, true)
})

test('a start with simulated tunnels says why, and how to get real ones', async () => {
  await using folder = await temporaryDirectory()
  await using service = await startServiceProcess('vpn', { ...simulated, DATA_DIR: folder.path })
  assert.deepEqual(
    service.stdout.filter((line) => line.startsWith('WireGuard')),
    [
      'WireGuard is simulated, no packets flow (WIREGUARD_BACKEND is set to simulated). What to do: unset WIREGUARD_BACKEND, or set it to auto.',
    ],
  )
})

test('simulated peers are idle until traffic is simulated, then connect and count', async () => {
  await using folder = await temporaryDirectory()
  const environment = { ...simulated, DATA_DIR: folder.path }
  const token = (await runCommand([...tokenText, 'full'], environment)).stdout.trim()
  await using service = await startServiceProcess('vpn', environment)
  const call = async (method: string, path: string, body?: object) => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    }
    const reply = await fetch(`${service.url}${path}`, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
    })
    // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies freely
    return (await reply.json()) as any
  }
  await call('POST', '/api/interfaces', { name: 'wg0', address: '10.8.0.1/24', listen_port: 51_820 })
  for (let index = 0; index < 8; index += 1) await call('POST', '/api/peers', { name: `p${index}`, interface: 'wg0' })
  assert.equal((await call('GET', '/api/peers?status=active')).data.total, 0)
  const { spawn } = await import('node:child_process')
  const { once } = await import('node:events')
  const simulation = spawn(process.execPath, ['cli/hearth.ts', 'vpn', 'simulate-traffic'], {
    env: { ...process.env, ...environment, LOG_LEVEL: 'silent' },
    stdio: 'ignore',
  })
  try {
    const list = await eventually(
      () => call('GET', '/api/peers?status=active'),
      (answer) => answer.data.total > 0,
      { everyMs: 300 },
    )
    const [peer] = list.data.peers
    assert.ok(Math.abs(Date.parse(peer.last_handshake) - Date.now()) < 180_000)
    assert.match(peer.endpoint, /^(192\.0\.2|198\.51\.100)\.\d+:\d+$/)
    await eventually(
      () => call('GET', `/api/peers/${peer.id}`),
      (answer) => answer.data.transfer_rx > peer.transfer_rx,
      { everyMs: 500 },
    )
  } finally {
    simulation.kill('SIGTERM')
    await once(simulation, 'exit')
  }
})

test('simultaneous commands on a new data directory agree on one key and one administrator', async () => {
  await using folder = await temporaryDirectory()
  const environment = { ...simulated, DATA_DIR: folder.path }
  const made = await Promise.all(Array.from({ length: 4 }, () => runCommand([...tokenText, 'full'], environment)))
  assert.deepEqual(
    made.map(({ code, stderr }) => [code, stderr]),
    made.map(() => [0, '']),
  )
  await using service = await startServiceProcess('vpn', environment)
  for (const { stdout } of made) {
    const reply = await fetch(`${service.url}/api/users`, { headers: { authorization: `Bearer ${stdout.trim()}` } })
    assert.equal(((await reply.json()) as { total: number }).total, 1)
  }
})
