import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemTimers } from '@hearth/runtime'
import { eventually, startServiceProcess, temporaryDirectory, type ServiceProcess } from '@hearth/testing'
import { callControl } from '../src/command-line/control-socket.ts'
import { startSimulator, type Simulator } from '../src/simulator/simulator.ts'
import { dispatchPath, giveOwnSettings, ownSettings, registersOf, writesOf } from './battery.ts'
import { catalog, main } from './in-process.ts'

/** Maximum time a service may take to stop, milliseconds. */
const maxStopMs = 20_000

/** A service as an operator runs it, in real time, on a simulated inverter in this process. */
class Installation implements AsyncDisposable {
  readonly inverter: Simulator
  readonly service: ServiceProcess
  readonly #folder: Awaited<ReturnType<typeof temporaryDirectory>>
  #token = ''

  constructor(parts: {
    inverter: Simulator
    service: ServiceProcess
    folder: Awaited<ReturnType<typeof temporaryDirectory>>
  }) {
    this.inverter = parts.inverter
    this.service = parts.service
    this.#folder = parts.folder
  }

  get folder(): string {
    return this.#folder.path
  }

  /** As the command line: the operator. */
  async call(method: string, path: string, body?: unknown): Promise<{ status: number; text: string }> {
    return callControl(this.#folder.path, { method, path, body })
  }

  /** As a program. */
  async ask(method: string, path: string): Promise<{ status: number; text: string }> {
    const headers = { authorization: `Bearer ${this.#token}` }
    const answer = await fetch(this.service.url + path, { method, headers })
    return { status: answer.status, text: await answer.text() }
  }

  async done(method: string, path: string, body?: unknown): Promise<void> {
    const { status, text } = await this.call(method, path, body)
    assert.ok(status < 300, `${method} ${path}: ${text}`)
  }

  async prepare(): Promise<void> {
    const made = await this.call('POST', '/admin/api/tokens', { name: 'program', role: 'read_write' })
    this.#token = JSON.parse(made.text).token
    const { port } = this.inverter
    const device = { device_id: 'main', host: '127.0.0.1', port, request_gap_ms: 20 }
    await this.done('POST', '/admin/api/devices', device)
    await this.done('PUT', '/admin/api/write-access', { enabled: true })
    await this.done('PATCH', '/admin/api/parameters', { approve: catalog.roles.dispatchRegisters })
    const base = '/admin/api/dispatch/devices/main'
    await this.done('PUT', base, { max_charge_power_w: 3000, max_discharge_power_w: 3000 })
    const verified = { status: 'verified', verified_device_model: 'Simulator', verified_firmware: '1', note: 'tested' }
    const code = { ...verified, soc_strategy_external_code: 2 }
    await this.done('PUT', `${base}/capabilities/battery_power_sign_convention`, verified)
    await this.done('PUT', `${base}/capabilities/write_path_convention`, code)
    await eventually(
      () => this.call('GET', '/api/v1/readiness'),
      ({ status, text }) => status === 200 && text.includes('"periodic_available":true'),
      { what: 'readiness', seconds: 30 },
    )
  }

  start(): Promise<{ status: number; text: string }> {
    const valid_until = new Date(Date.now() + 3_600_000).toISOString()
    const request = { mode: 'charge_from_grid', target_soc_percent: 90, max_power_w: 2000, valid_until }
    return this.call('POST', dispatchPath, request)
  }

  async hasWritten(count: number): Promise<void> {
    await eventually(
      () => writesOf(this.inverter).length,
      (written) => written >= count,
      { everyMs: 5, seconds: 30 },
    )
  }

  health = async (): Promise<number> => (await fetch(`${this.service.url}/health`)).status

  /** Sends SIGTERM, polls the health endpoint meanwhile and waits for the exit. */
  async terminate(): Promise<{ code: number | null; said: number[]; tookMs: number }> {
    const begun = performance.now()
    const said: number[] = []
    let isOver = false
    const code = this.service.stop().finally(() => (isOver = true))
    const look = () =>
      this.health().then(
        (status) => said.push(status),
        () => undefined,
      )
    await eventually(look, () => isOver, { everyMs: 20, seconds: 30, what: 'the end of the service' })
    return { code: await code, said, tookMs: performance.now() - begun }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]()
    await this.inverter.close()
    await this.#folder[Symbol.asyncDispose]()
  }
}

async function openInstallation(): Promise<Installation> {
  const folder = await temporaryDirectory('inverter')
  const inverter = await startSimulator({ port: 0, timers: systemTimers, catalog, seed: 1, faults: { latencyMs: 1 } })
  giveOwnSettings(inverter)
  inverter.setSoc(0.5)
  const service = await startServiceProcess('inverter', { DATA_DIR: folder.path, RATE_LIMIT_EXEMPT: '127.0.0.1' })
  const installation = new Installation({ inverter, service, folder })
  await installation.prepare()
  return installation
}

/** Asserts what every orderly shutdown has in common. */
function assertOrderly(installation: Installation, end: { code: number | null; said: number[]; tookMs: number }): void {
  assert.equal(end.code, 0, installation.service.stderr.join('\n'))
  assert.ok(end.tookMs < maxStopMs, String(end.tookMs))
  assert.ok(end.said.includes(503), `health said ${end.said.join(', ')}`)
  assert.equal(end.said.indexOf(200, end.said.indexOf(503)), -1, 'health said well again')
  assert.deepEqual(registersOf(installation.inverter), ownSettings)
  assert.equal(installation.inverter.registers.get('pas_period'), 0)
}

test('49 SIGTERM during a start restores the device, answers 503 to the caller and exits with 0', async () => {
  await using installation = await openInstallation()
  const starting = installation.start()
  await installation.hasWritten(2)
  const end = await installation.terminate()
  const { status, text } = await starting
  assert.deepEqual([status, JSON.parse(text).code], [503, 'shutting_down'])
  assertOrderly(installation, end)
})

test('49 SIGTERM during an operation restores the device and exits with 0', async () => {
  await using installation = await openInstallation()
  assert.equal((await installation.start()).status, 200)
  const end = await installation.terminate()
  assertOrderly(installation, end)
  assert.equal(writesOf(installation.inverter).length, 9)
})

test('49 SIGTERM during a restore finishes it and exits with 0', async () => {
  await using installation = await openInstallation()
  assert.equal((await installation.start()).status, 200)
  const stopping = installation.ask('DELETE', dispatchPath)
  await installation.hasWritten(6)
  const end = await installation.terminate()
  assert.equal(JSON.parse((await stopping).text).state, 'idle')
  assertOrderly(installation, end)
  assert.equal(writesOf(installation.inverter).length, 9)
})

test('49 SIGTERM during a slow read waits for the answer and exits with 0', async () => {
  await using installation = await openInstallation()
  assert.equal((await installation.start()).status, 200)
  installation.inverter.setFaults({ lateReplies: { battery_voltage: 4000 } })
  const reading = installation.ask('GET', main('/metrics?names=battery_voltage&fresh=true'))
  await eventually(
    () => installation.inverter.wire.at(-1)?.frame?.objectId,
    (id) => id === catalog.byName('battery_voltage')?.objectId,
    { everyMs: 2 },
  )
  const end = await installation.terminate()
  assert.equal((await reading).status, 200)
  assertOrderly(installation, end)
})

test('49 SIGTERM with an unreachable device exits with 0 in time, and the next start restores the device', async () => {
  await using installation = await openInstallation()
  assert.equal((await installation.start()).status, 200)
  installation.inverter.setFaults({ refuse: true })
  const end = await installation.terminate()
  assert.equal(end.code, 0, installation.service.stderr.join('\n'))
  assert.ok(end.tookMs < maxStopMs, String(end.tookMs))
  assert.notDeepEqual(registersOf(installation.inverter), ownSettings)
  installation.inverter.clearFaults()
  await using again = await startServiceProcess('inverter', { DATA_DIR: installation.folder })
  await eventually(
    () => registersOf(installation.inverter),
    (registers) => JSON.stringify(registers) === JSON.stringify(ownSettings),
    { seconds: 20 },
  )
  assert.equal(await again.stop(), 0)
})
