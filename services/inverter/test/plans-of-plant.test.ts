import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import { createFastTimers } from '@hearth/runtime'
import { evening } from './battery.ts'
import { catalog, type TestGateway } from './in-process.ts'
import { startPlant, type TestPlant } from './plant-fixture.ts'
import { configurePlans, readPlan, writePrices } from './plans-fixture.ts'

interface BatteryStatus {
  readonly device_id: string
  readonly carrying: string
  readonly left_out: string | null
}
interface PlantPlan {
  readonly status: {
    readonly carrying: string
    readonly missing: readonly string[]
    readonly batteries: BatteryStatus[]
  }
  readonly plan: {
    readonly expected_cost: number
    readonly expected_cost_without: number
    readonly blocks: readonly {
      readonly device_id: string
      readonly action: string
      readonly start: string
      readonly end: string
      readonly is_by_hand: boolean
    }[]
    readonly steps: readonly {
      readonly soc_percent: number
      readonly batteries: readonly { readonly device_id: string; readonly soc_percent: number }[]
    }[]
  } | null
}

async function plantPlan(gateway: TestGateway): Promise<PlantPlan> {
  const reply = await gateway.send('GET', '/api/v1/devices/@plant/plan', { token: gateway.tokens.read })
  if (reply.status !== 200) throw new Error(reply.text)
  return JSON.parse(reply.text) as PlantPlan
}

const planWhen = (gateway: TestGateway, isRight: (plan: PlantPlan) => boolean, what: string) =>
  eventually(() => plantPlan(gateway), isRight, { what, seconds: 60, everyMs: 200 })

const stateOf = async (gateway: TestGateway, id: string): Promise<string> =>
  ((await gateway.call('GET', `/api/v1/devices/${id}/battery/dispatch`)).body as { state: string }).state

const stateWhen = (gateway: TestGateway, id: string, state: string) =>
  eventually(
    () => stateOf(gateway, id),
    (found) => found === state,
    { what: `${id} ${state}`, seconds: 60, everyMs: 200 },
  )

/** Everything that a dispatch needs on an inverter beside `main`. */
async function allowDispatchOn(gateway: TestGateway, id: string): Promise<void> {
  const limits = { max_charge_power_w: 2000, max_discharge_power_w: 2000 }
  await gateway.operate('PUT', `/admin/api/dispatch/devices/${id}`, limits)
  const verified = { status: 'verified', verified_device_model: 'Simulator', verified_firmware: '1', note: 'tested' }
  const path = (name: string) => `/admin/api/dispatch/devices/${id}/capabilities/${name}`
  await gateway.operate('PUT', path('battery_power_sign_convention'), verified)
  await gateway.operate('PUT', path('write_path_convention'), { ...verified, soc_strategy_external_code: 2 })
}

/** A plan that charges both batteries now, carried out. */
async function charging({ gateway }: TestPlant, more: Record<string, unknown> = {}): Promise<void> {
  assert.ok(catalog.roles.dispatchRegisters.length > 0)
  await gateway.allowDispatch()
  await allowDispatchOn(gateway, 'second')
  writePrices(gateway, 30, (hour) => (hour < 3 ? 0.05 : hour < 10 ? 0.9 : 0.3))
  const contents = ['main', 'second'].map((id) => ({ device_id: id, capacity_wh: 9600 }))
  const settings = { enabled: true, carries_out: true, whole_plant: true, batteries: contents, price_source: 'file' }
  await configurePlans(gateway, { ...settings, capacity_wh: null, ...more })
  await stateWhen(gateway, 'main', 'charging')
  await stateWhen(gateway, 'second', 'charging')
}

test('one plan for both batteries says what each does, and is carried out on each', async () => {
  await using plant = await startPlant({ speed: 20 })
  const { gateway } = plant
  await charging(plant)
  const { plan, status } = await planWhen(
    gateway,
    ({ status: { carrying } }) => carrying === 'plan',
    'the plan at work',
  )
  assert.deepEqual(
    status.batteries.map(({ device_id: id, carrying, left_out: out }) => [id, carrying, out]),
    [
      ['main', 'plan', null],
      ['second', 'plan', null],
    ],
  )
  assert.ok(plan !== null && plan.expected_cost < plan.expected_cost_without)
  const [step] = plan.steps
  const mean = ((step?.batteries[0]?.soc_percent ?? 0) + (step?.batteries[1]?.soc_percent ?? 0)) / 2
  assert.ok(Math.abs((step?.soc_percent ?? 0) - mean) < 0.2, 'both together, by their content')
  assert.equal((await readPlan(gateway)).plan, null, 'there is no other plan for one of them')
  await configurePlans(gateway, { carries_out: false, capacity_wh: null })
  assert.deepEqual([await stateOf(gateway, 'main'), await stateOf(gateway, 'second')], ['idle', 'idle'])
})

test('while an inverter is away the plan of the others goes on without it, and with it when it is back', async () => {
  await using plant = await startPlant({ speed: 20 })
  const { gateway, second } = plant
  await charging(plant)
  second.setFaults({ refuse: true })
  const without = await planWhen(
    gateway,
    ({ status }) => status.batteries.some(({ left_out: out }) => out !== null),
    'a plan without the second',
  )
  assert.match(without.status.batteries[1]?.left_out ?? '', /second does not say how full its battery is/)
  assert.deepEqual(without.status.missing, [])
  assert.ok(without.plan?.blocks.every(({ device_id: id }) => id === 'main'))
  assert.equal(await stateOf(gateway, 'main'), 'charging')
  second.setFaults({ refuse: false })
  await planWhen(
    gateway,
    ({ plan }) => plan?.blocks.some(({ device_id: id }) => id === 'second') === true,
    'a plan with both',
  )
})

test('a part that is taken out of the plan of one battery leaves that of the other', async () => {
  await using plant = await startPlant({ speed: 20 })
  const { gateway } = plant
  await charging(plant)
  const { plan } = await plantPlan(gateway)
  const block = plan?.blocks.find(({ device_id: id }) => id === 'second')
  assert.ok(block !== undefined)
  const choices = [{ device_id: 'second', start: block.start, end: block.end, action: 'automatic' }]
  await gateway.operate('PUT', '/admin/api/plan/devices/@plant/choices', { choices })
  await stateWhen(gateway, 'second', 'idle')
  assert.equal(await stateOf(gateway, 'main'), 'charging')
  await assert.rejects(
    gateway.operate('PUT', '/admin/api/plan/devices/@plant/choices', {
      choices: [{ device_id: 'nobody', start: block.start, end: block.end, action: 'hold' }],
    }),
    /name no inverter of the plan: nobody/,
  )
})

test('a plan for the plant ends with the plant', async () => {
  await using plant = await startPlant({ speed: 20 })
  const { gateway } = plant
  await charging(plant)
  await gateway.operate('PUT', '/admin/api/plant', { enabled: false, display_name: 'House', inverters: [] })
  await stateWhen(gateway, 'main', 'idle')
  await stateWhen(gateway, 'second', 'idle')
  await assert.rejects(configurePlans(gateway, { whole_plant: true }), /whole_plant/)
  // What names nothing any more can still be switched off and saved.
  await configurePlans(gateway, { enabled: false, carries_out: false, capacity_wh: null })
})

test('the plan of the plant goes on without an inverter that is removed, also the one of an earlier plan', async () => {
  await using plant = await startPlant({ speed: 20 })
  const { gateway } = plant
  await configurePlans(gateway, { enabled: true, device_id: 'second', price_source: 'fixed' })
  const contents = ['main', 'second'].map((id) => ({ device_id: id, capacity_wh: 9600 }))
  await configurePlans(gateway, { whole_plant: true, batteries: contents, capacity_wh: null })
  await gateway.operate('DELETE', '/admin/api/devices/second')
  const { settings } = (await gateway.operate('GET', '/admin/api/plan')) as {
    settings: { enabled: boolean; whole_plant: boolean; device_id: string; batteries: { device_id: string }[] }
  }
  const { enabled, whole_plant: isWhole, device_id: id, batteries } = settings
  assert.deepEqual([enabled, isWhole, id, batteries.map(({ device_id: own }) => own)], [true, true, '', ['main']])
  await configurePlans(gateway, { reserve_percent: 10, capacity_wh: null })
})

test('the limit of the grid connection is kept by what is measured, with a sensor on the other inverter', async () => {
  await using plant = await startPlant({ timers: createFastTimers(20, evening) })
  const { gateway, second } = plant
  await gateway.allowDispatch()
  await allowDispatchOn(gateway, 'second')
  await configurePlans(gateway, { grid_limit_w: 1600, capacity_wh: null })
  // The first inverter leaves the house to the grid.
  const validUntil = new Date(gateway.timers.now() + 3_600_000).toISOString()
  await gateway.call('POST', '/api/v1/devices/main/battery/dispatch', { mode: 'hold', valid_until: validUntil })
  const charge = { mode: 'charge_from_grid', target_soc_percent: 90, max_power_w: 2000, valid_until: validUntil }
  const started = await gateway.call('POST', '/api/v1/devices/second/battery/dispatch', charge)
  assert.equal(started.status, 200, started.text)
  const { commanded_power_w: commanded } = started.body as { commanded_power_w: number }
  assert.ok(commanded < 2000, `${commanded} W beside the house`)
  // A kettle is over the limit until the next round; what the house takes alone is its own.
  let above = 0
  for (let round = 0; round < 40; round += 1) {
    await gateway.timers.delay(5000)
    const { grid } = gateway.inverter.plant
    above = grid > 1650 && second.plant.battery < 0 ? above + 1 : 0
    assert.ok(above <= 3, `${grid} W for ${above} rounds`)
  }
  assert.equal(await stateOf(gateway, 'second'), 'charging')
})
