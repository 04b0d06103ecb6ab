import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createLog, systemTimers } from '@hearth/runtime'
import { eventually, freePort, runCommand, startServiceProcess, temporaryDirectory } from '@hearth/testing'
import { readConfig } from '../src/config.ts'
import { openStorage } from '../src/database/open.ts'
import { openService } from '../src/open-service.ts'
import { startSimulator } from '../src/simulator/simulator.ts'
import { catalog, main, startGateway } from './in-process.ts'

const hearth = (data: string, args: string, environment: Record<string, string> = {}) =>
  runCommand(['inverter', ...args.split(' ')], { DATA_DIR: data, ...environment })

test('a token created before or while the service runs works at once, and stdout is only the token', async () => {
  await using folder = await temporaryDirectory()
  const before = await hearth(folder.path, 'token create --role read --name before')
  await using service = await startServiceProcess('inverter', { DATA_DIR: folder.path })
  const during = await hearth(folder.path, 'token create --role read_write --name during')
  for (const { code, stdout } of [before, during]) {
    assert.equal(code, 0)
    assert.match(stdout, /^pat_[A-Za-z0-9]{44}\n$/)
    const headers = { authorization: `Bearer ${stdout.trim()}` }
    assert.equal((await fetch(`${service.url}/api/v1/devices`, { headers })).status, 200)
  }
  assert.equal(await service.stop(), 0)
})

test('commands set devices, limits, approvals, capabilities and modes with and without a running service', async () => {
  await using folder = await temporaryDirectory()
  const steps = [
    'device add --id roof --host 127.0.0.1 --port 1 --name Roof',
    'device add --id garage --host 127.0.0.1 --port 1 --network-id 7',
    'write-access on',
    `approve ${catalog.roles.dispatchRegisters.join(' ')} com_service`,
    'revoke com_service',
    'limits --device roof --charge 3000 --discharge 2500',
    'capability set --device roof battery_power_sign_convention --verified --model DC --firmware 1 --evidence battery_power_sign_convention=battery_discharge_positive',
    'capability set --device roof write_path_convention --verified --model DC --firmware 1 --note tested --evidence soc_strategy_external_code=2',
    'engineering --device roof on',
    'mode --device roof external',
    'device remove --id garage',
  ]
  for (const step of steps) {
    const { code, stdout, stderr } = await hearth(folder.path, step)
    assert.deepEqual([code, stdout], [0, ''], `${step}: ${stderr}`)
  }
  await using service = await startServiceProcess('inverter', { DATA_DIR: folder.path })
  const [device] = JSON.parse((await hearth(folder.path, 'device list --json')).stdout) as Record<string, unknown>[]
  assert.deepEqual(
    [
      device?.['device_id'],
      device?.['display_name'],
      device?.['max_charge_power_w'],
      device?.['max_discharge_power_w'],
      device?.['engineering_mode'],
    ],
    ['roof', 'Roof', 3000, 2500, true],
  )
  const token = (await hearth(folder.path, 'token create --role read_write --name x')).stdout.trim()
  const get = async (path: string) => {
    const reply = await fetch(`${service.url}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } })
    return [reply.status, await reply.json()] as [number, Record<string, never>]
  }
  const [, metrics] = (await get('/metrics')) as unknown as [number, { name: string; writable: boolean }[]]
  assert.deepEqual(
    metrics
      .filter(({ writable }) => writable)
      .map(({ name }) => name)
      .sort(),
    [...catalog.roles.dispatchRegisters].sort(),
  )
  assert.equal((await get('/devices/roof/energy'))[1]['mode'], 'external')
  assert.equal((await hearth(folder.path, 'write-access off')).code, 0)
  assert.equal((await get('/devices/roof/energy'))[1]['code'], 'write_disabled')
  assert.match((await hearth(folder.path, 'device list')).stdout, /^roof\t127\.0\.0\.1\t1\t-\t\w+\n$/)
})

test('MQTT is switched on and off by command, and what is wrong is named by its option', async () => {
  await using folder = await temporaryDirectory()
  const password = join(folder.path, 'password')
  await writeFile(password, 'only-the-broker-knows\n', { mode: 0o600 })
  const on = `mqtt on --url mqtt://127.0.0.1:1 --username hearth --password-file ${password}`
  const data = join(folder.path, 'data')
  assert.equal((await hearth(data, on)).code, 0)
  const wrong = await hearth(data, 'mqtt on --url http://broker')
  assert.equal(wrong.code, 1)
  assert.match(wrong.stderr, /^hearth: --url must be mqtt:\/\/HOST/)
  await using service = await startServiceProcess('inverter', { DATA_DIR: data })
  const status = await hearth(data, 'mqtt status')
  assert.match(status.stdout, /^(?:connecting|waiting)\n$/)
  assert.equal((await hearth(data, 'mqtt off')).code, 0)
  assert.equal((await hearth(data, 'mqtt status')).stdout, 'off\n')
  assert.equal(await service.stop(), 0)
})

test('an inverter is shared by command, and what is wrong is named by its option', async () => {
  await using folder = await temporaryDirectory()
  const data = folder.path
  const port = await freePort()
  assert.equal((await hearth(data, 'device add --id roof --host 127.0.0.1 --port 1')).code, 0)
  const unknown = await hearth(data, 'shared-port on --device barn')
  assert.match(unknown.stderr, /^hearth: --device names the unknown inverter barn/)
  assert.equal((await hearth(data, `shared-port on --device roof --port ${port}`)).code, 0)
  assert.equal((await hearth(data, 'shared-port allow evcc 127.0.0.1 --may-write power_mng_soc_strategy')).code, 0)
  assert.match((await hearth(data, 'shared-port allow evcc house')).stderr, /^hearth: ADDRESS must be an IP address/)
  await using service = await startServiceProcess('inverter', { DATA_DIR: data })
  assert.equal((await hearth(data, 'shared-port status')).stdout, `roof\t${port}\t0 requests\n`)
  assert.equal((await hearth(data, 'shared-port forbid evcc')).code, 0)
  assert.equal((await hearth(data, 'shared-port off')).code, 0)
  assert.match((await hearth(data, 'shared-port status')).stderr, /no inverter is shared now/)
  assert.equal(await service.stop(), 0)
})

test('a connection is tested by command, step by step, and the exit code says whether an inverter answers', async () => {
  await using folder = await temporaryDirectory()
  const data = folder.path
  const inverter = await startSimulator({ port: 0, timers: systemTimers, catalog, seed: 1 })
  await using cleanup = new AsyncDisposableStack()
  cleanup.defer(() => inverter.close())
  await using service = await startServiceProcess('inverter', { DATA_DIR: data })
  const good = await hearth(data, `device test --host 127.0.0.1 --port ${inverter.port}`)
  assert.equal(good.code, 0, good.stderr)
  const steps = good.stdout.trim().split('\n')
  assert.deepEqual([steps[0]?.split('\t').slice(0, 2), steps.length], [['address', 'ok'], 7])
  const bad = await hearth(data, `device test --host 127.0.0.1 --port ${await freePort()} --json`)
  const { reachable, steps: failed } = JSON.parse(bad.stdout) as { reachable: boolean; steps: { state: string }[] }
  assert.deepEqual([bad.code, reachable, failed.at(-1)?.state], [1, false, 'failed'])
  assert.match(bad.stderr, /^hearth: /)
  assert.equal(await service.stop(), 0)
})

test('wrong arguments and settings exit with code 1 and one line that names them', async () => {
  await using folder = await temporaryDirectory()
  await hearth(folder.path, 'device add --id roof --host 127.0.0.1 --port 1')
  const cases: [string, RegExp, Record<string, string>?][] = [
    ['device add --id roof --host 127.0.0.1', /--id is taken|there is a device roof already/i],
    ['device add --id other --host 127.0.0.1 --port 1', /same endpoint/],
    ['device add --id a/b --host 127.0.0.1', /--id must be letters/],
    ['device add --id other --host 127.0.0.1 --port 99999', /--port must be at most 65535/],
    ['device remove --id nobody', /There is no device nobody/],
    ['approve nothing', /NAME names the unknown metric nothing/],
    ['approve wifi_password', /NAME names the unknown metric wifi_password/],
    ['limits --device roof --charge -5', /--charge must be at least 1/],
    [
      'capability set --device roof write_path_convention --verified --model A --firmware 1',
      /soc_strategy_external_code|note/,
    ],
    ['capability set --device roof nonsense --verified', /NAME|name/],
    [
      'capability set --device roof write_path_convention --evidence nonsense',
      /--evidence: nonsense is not of the form key=value/,
    ],
    ['mode --device roof sometimes', /MODE/],
    ['mode --device roof external', /[Ww]rite access/],
    ['token create --role admin --name x', /--role/],
    ['write-access maybe', /must be on or off/],
    ['serve', /HMAC_SECRET: must have at least 32 characters/, { HMAC_SECRET: 'short' }],
    ['serve', /DOCS_PUBLIC: must be true or false/, { DOCS_PUBLIC: 'yes' }],
    ['serve', /FORWARDED_HEADER: /, { FORWARDED_HEADER: 'Forwarded' }],
    ['simulate --port 70000', /--port: must be from 0 to 65535/],
    ['simulate --port 0 --network-id 1.5', /--network-id: must be whole numbers/],
    ['simulate --port 0 --network-id 7 --network-id 7', /--network-id: the same address is given twice/],
    ['simulate --port 0 --network-id seven', /--network-id must be a number/],
  ]
  for (const [args, pattern, environment] of cases) {
    const { code, stdout, stderr } = await hearth(folder.path, args, environment)
    assert.deepEqual([code, stdout], [1, ''], `${args}: ${stderr}`)
    assert.match(stderr, pattern, args)
    // A second line says where the help is when a word is not one of the choices.
    assert.ok(
      stderr
        .trim()
        .split('\n')
        .filter((line) => !line.includes('--help')).length === 1,
      `${args}: ${stderr}`,
    )
  }
})

test('serve refuses an invalid configuration with one line, and validate reports the same', async () => {
  await using folder = await temporaryDirectory()
  const data = join(folder.path, 'data')
  const secret = 'a-secret-of-at-least-32-characters-1'
  assert.equal((await hearth(data, 'device add --id roof --host 127.0.0.1 --port 1', { HMAC_SECRET: secret })).code, 0)
  const registry = JSON.parse(await readFile(join(import.meta.dirname, '../src/catalog/objects.json'), 'utf8')) as {
    objects: object[]
    write_allowlist: object[]
  }
  const file = async (name: string, content: unknown) => {
    const path = join(folder.path, name)
    await writeFile(path, JSON.stringify(content))
    return path
  }
  const password = { id: '0x14C0E627', name: 'wifi_password', metric: 'wifi_password', type: 'string' }
  const cases: [RegExp, Record<string, string>][] = [
    [/^hearth: HMAC_SECRET: is not the one/, { HMAC_SECRET: `${secret}2` }],
    [/^hearth: HMAC_SECRET: is missing/, {}],
    [
      /^hearth: OBJECT_REGISTRY_FILE: .*objects\.0/,
      { HMAC_SECRET: secret, OBJECT_REGISTRY_FILE: await file('r1', { ...registry, objects: [{}] }) },
    ],
    [
      /^hearth: OBJECT_REGISTRY_FILE: wifi_password/,
      {
        HMAC_SECRET: secret,
        OBJECT_REGISTRY_FILE: await file('r2', { ...registry, objects: [...registry.objects, password] }),
      },
    ],
    [
      /^hearth: WRITE_ALLOWLIST_FILE: wifi_password/,
      { HMAC_SECRET: secret, WRITE_ALLOWLIST_FILE: await file('a1', [password]) },
    ],
    [/^hearth: WRITE_ALLOWLIST_FILE: cannot read/, { HMAC_SECRET: secret, WRITE_ALLOWLIST_FILE: '/no/file' }],
  ]
  for (const [pattern, environment] of cases) {
    for (const args of ['validate', 'serve']) {
      const { code, stdout, stderr } = await hearth(data, args, environment)
      assert.deepEqual([code, stdout], [1, ''], `${args}: ${stderr}`)
      assert.match(stderr, pattern, args)
      assert.equal(stderr.trimEnd().split('\n').length, 1, stderr)
    }
  }
  const valid = await hearth(data, 'validate', { HMAC_SECRET: secret })
  assert.deepEqual(
    [valid.code, valid.stderr],
    [0, 'valid: 894 objects, 893 of them writable when approved, 1 devices\n'],
  )
  const { database } = await openStorage({ dataDirectory: data, hmacSecret: secret })
  const [row] = await database.query.selectFrom('devices').selectAll().execute()
  await database.query
    .insertInto('devices')
    .values({ ...row!, id: 'twin' })
    .execute()
  await database.close()
  for (const args of ['validate', 'serve'])
    assert.match(
      (await hearth(data, args, { HMAC_SECRET: secret })).stderr,
      /roof and twin are on the same endpoint and have no network id/,
    )
})

test('the service does not start without a secret when the data directory is not writable', async (t) => {
  if (process.getuid?.() === 0) {
    // Root may write anywhere except below /proc.
    const { code, stderr } = await hearth('/proc/hearth', 'validate')
    assert.equal(code, 1)
    assert.match(stderr, /HMAC_SECRET: is missing, and none can be generated/)
    assert.match((await hearth('/proc/hearth', 'serve')).stderr, /HMAC_SECRET: is missing, and none can be generated/)
    return
  }
  await using folder = await temporaryDirectory()
  await chmod(folder.path, 0o500)
  t.after(() => chmod(folder.path, 0o700))
  for (const args of ['validate', 'serve'])
    assert.match((await hearth(folder.path, args)).stderr, /HMAC_SECRET: is missing, and none can be generated/)
})

test('the data directory reveals no token, host, password or metric name', async () => {
  await using gateway = await startGateway({ device: { host: 'localhost' } })
  await gateway.operate('PATCH', '/admin/api/devices/main', { display_name: 'Roof of the neighbour' })
  await gateway.allowWriting('battery_soc_target')
  const browser = await gateway.signIn()
  const backup = join(gateway.folder, 'backup')
  assert.equal((await hearth(gateway.folder, `backup ${backup}`)).code, 0)
  const names = (await readdir(gateway.folder)).filter((name) => name !== 'settings.env' && name !== 'control.sock')
  assert.ok(names.includes('inverter.db') && names.includes('inverter.db-wal'))
  const found = Buffer.concat(await Promise.all(names.map((name) => readFile(join(gateway.folder, name))))).toString(
    'latin1',
  )
  const secrets = [
    gateway.tokens.read,
    gateway.tokens.write,
    browser.cookie.split('=')[1] ?? '',
    'localhost',
    'Roof of the neighbour',
    'battery_soc_target',
    'tall-giraffe',
    'argon2',
    'create table',
    'SQLite format',
  ]
  for (const secret of secrets) assert.ok(!found.includes(secret), secret)
  for (const name of [...names, 'settings.env', 'control.sock'])
    assert.equal((await stat(join(gateway.folder, name))).mode & 0o077, 0, name)
})

test('the initial password is printed, kept in a file across restarts, and deleted at the first change', async () => {
  await using folder = await temporaryDirectory()
  const environment = { DATA_DIR: folder.path }
  const file = join(folder.path, 'initial-admin-password')
  await using first = await startServiceProcess('inverter', environment)
  const password = (await readFile(file, 'utf8')).trim()
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  assert.ok(first.stdout.some((line) => line.includes('│') && line.includes(password)))
  assert.ok(!first.stderr.some((line) => line.includes(password)))
  await first.stop()
  await using second = await startServiceProcess('inverter', environment)
  assert.equal((await readFile(file, 'utf8')).trim(), password)
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(`${second.url}/admin/api/session${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const signedIn = await post('', { username: 'admin', password })
  const { csrf_token: csrf } = (await signedIn.json()) as { csrf_token: string }
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
  const changed = await post(
    '/password',
    { current_password: password, new_password: 'tall-giraffe-on-ice-7' },
    { cookie, 'x-csrf-token': csrf },
  )
  assert.equal(changed.status, 200)
  await assert.rejects(stat(file))
  const reset = await hearth(folder.path, 'reset-admin-password')
  assert.equal((await post('', { username: 'admin', password: reset.stdout.trim() })).status, 200)
})

test('a second service on the same data is refused, and a backup restores only with the same secret', async () => {
  await using folder = await temporaryDirectory()
  const secret = { HMAC_SECRET: 'a-secret-of-at-least-32-characters-1' }
  const [one, two, three] = ['one', 'two', 'three'].map((name) => join(folder.path, name)) as [string, string, string]
  await hearth(one, 'device add --id roof --host 127.0.0.1 --port 1', secret)
  await using service = await startServiceProcess('inverter', { DATA_DIR: one, ...secret })
  assert.match((await hearth(one, 'serve', secret)).stderr, /in use by another running service/)
  const file = join(folder.path, 'backup')
  assert.equal((await hearth(one, `backup ${file}`, secret)).code, 0)
  assert.match((await hearth(one, `restore ${file}`, secret)).stderr, /in use/)
  const check = await hearth(one, `restore --check ${file}`, secret)
  assert.deepEqual([check.code, check.stderr], [0, ''])
  assert.match(check.stdout, /^ +1 devices$[^]+can be restored: \d+ rows\n$/m)
  assert.equal((await hearth(two, `restore ${file}`, secret)).code, 0)
  assert.match((await hearth(two, 'device list', secret)).stdout, /^roof\t/)
  assert.match(
    (await hearth(three, `restore ${file}`, { HMAC_SECRET: `${secret.HMAC_SECRET}2` })).stderr,
    /another HMAC_SECRET/,
  )
  assert.match((await hearth(three, `restore ${file}`)).stderr, /HMAC_SECRET .* is missing/)
  assert.equal(existsSync(three), false, 'a refused restore leaves nothing')
  assert.equal((await hearth(three, `restore ${file}`, secret)).code, 0)
  assert.ok(service.url)
})

test('a restore is refused while a dispatch is unfinished, and does not restore dispatches', async () => {
  await using gateway = await startGateway({ speed: 50 })
  await gateway.allowDispatch()
  const body = { mode: 'hold', valid_until: new Date(gateway.timers.now() + 3_600_000).toISOString() }
  assert.equal((await gateway.call('POST', main('/battery/dispatch'), body)).status, 200)
  await using elsewhere = await temporaryDirectory()
  const file = join(elsewhere.path, 'backup')
  assert.equal((await hearth(gateway.folder, `backup ${file}`)).code, 0)
  const secret = /HMAC_SECRET=(\S+)/.exec(await readFile(join(gateway.folder, 'settings.env'), 'utf8'))?.[1] ?? ''
  const data = join(elsewhere.path, 'data')
  assert.equal((await hearth(data, `restore ${file}`, { HMAC_SECRET: secret })).code, 0)
  const { database } = await openStorage({ dataDirectory: data, hmacSecret: secret })
  assert.deepEqual(await database.query.selectFrom('dispatch_records').selectAll().execute(), [])
  const record = { device_id: 'main', version: 1, state: 'charging', restore_required: 0, record: '{}' }
  await database.query.insertInto('dispatch_records').values(record).execute()
  await database.close()
  const refused = await hearth(data, `restore ${file}`, { HMAC_SECRET: secret })
  assert.deepEqual([refused.code, /a dispatch of main is not finished/.test(refused.stderr)], [1, true])
  assert.equal((await hearth(data, 'forget-dispatch --device main', { HMAC_SECRET: secret })).code, 0)
  assert.equal((await hearth(data, `restore ${file}`, { HMAC_SECRET: secret })).code, 0)
})

test('concurrent commands wait for each other', async () => {
  await using folder = await temporaryDirectory()
  const all = await Promise.all(
    ['a', 'b', 'c', 'd'].map((name) => hearth(folder.path, `token create --role read --name ${name}`)),
  )
  for (const { code, stderr } of all) assert.deepEqual([code, stderr], [0, ''])
})

test('hearth up without an inverter adds a simulated one, which stays until it is removed', async () => {
  await using folder = await temporaryDirectory()
  const open = (environment: Record<string, string>) =>
    openService(readConfig({ DATA_DIR: folder.path, ...environment }), {
      log: createLog({ name: 'test', level: 'silent' }),
    })
  const plain = await open({})
  assert.deepEqual(plain.app.devices.ids(), [])
  await plain.close()
  const trial = await open({ HEARTH_UP: '1' })
  assert.deepEqual(
    trial.app.devices.all().map(({ id, isSimulated }) => [id, isSimulated]),
    [['simulated', true]],
  )
  const runtime = () => trial.app.connections.device('simulated')
  await eventually(
    () => runtime()?.liveness.status().lastSuccessAt,
    (at) => typeof at === 'number',
  )
  await trial.close()
  const later = await open({})
  assert.deepEqual(later.app.devices.ids(), ['simulated'])
  await later.close()
  assert.equal((await hearth(folder.path, 'device remove simulated')).code, 0)
  assert.equal((await hearth(folder.path, 'device list')).stdout, '')
})
