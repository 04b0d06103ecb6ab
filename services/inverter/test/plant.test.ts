import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFastTimers } from '@hearth/runtime'
import { eventually } from '@hearth/testing'
import { readConfig } from '../src/config.ts'
import { openStorage } from '../src/database/open.ts'
import { LocalDays } from '../src/history/local-days.ts'
import { energiesOf, noPowers, slotAt, slotsPerHour } from '../src/history/quantities.ts'
import { addMeter, writeSlots } from '../src/history/store.ts'
import type { Bucket } from './history-fixture.ts'
import { startGateway, type TestGateway } from './in-process.ts'
import { joinPlant, type PlantReply, plantWhen, startPlant } from './plant-fixture.ts'

const deviceFile = (id: string) => `/api/v1/devices/${id}/energy-history.json`

async function slotsOf(gateway: TestGateway, id: string): Promise<Bucket[]> {
  const reply = await gateway.send('GET', deviceFile(id), { token: gateway.tokens.read })
  if (reply.status !== 200) throw new Error(reply.text)
  return JSON.parse(reply.text) as Bucket[]
}

const slotsWhen = (gateway: TestGateway, id: string, isRight: (slots: Bucket[]) => boolean) =>
  eventually(() => slotsOf(gateway, id), isRight, { what: `slots of ${id}`, seconds: 90, everyMs: 300 })

test('two inverters of one house are added up, with the grid counted once', async () => {
  await using plant = await startPlant({ speed: 20 })
  const { gateway, second } = plant
  const now = await plantWhen(gateway, ({ house, soc_percent: soc }) => house.watts !== null && soc !== null, 'sums')
  const [a, b] = [gateway.inverter.plant, second.plant]
  const near = (watts: number | null, expected: number) =>
    assert.ok(watts !== null && Math.abs(watts - expected) < 2500, `${watts} instead of about ${expected}`)
  assert.equal(now.grid_meter, 'main')
  assert.ok(a.solarA > 0 && b.solarA > 0, 'the sun shines on both')
  near(now.pv.watts, a.solarA + a.solarB + b.solarA + b.solarB)
  // The house takes what grid and inverters give; the load of the first inverter alone would be far below zero.
  assert.ok(now.house.watts !== null && now.house.watts > 100 && now.house.watts < 5000)
  assert.deepEqual([now.pv.inverters, now.away], [2, []])
})

test('an inverter that is away leaves no sum that looks whole, and it is whole again when it returns', async () => {
  await using plant = await startPlant({ speed: 60 })
  const { gateway, second } = plant
  const before = await plantWhen(gateway, ({ pv, house }) => pv.watts !== null && house.watts !== null, 'sums')
  second.setFaults({ refuse: true })
  const without = await plantWhen(gateway, ({ away }) => away.length > 0, 'one away')
  assert.deepEqual([without.away, without.pv.watts, without.house.watts], [['second'], null, null])
  assert.ok(without.grid.watts !== null, 'the grid is still measured')
  assert.ok((without.pv.known_watts ?? 0) < (before.pv.watts ?? 0))
  second.setFaults({ refuse: false })
  await plantWhen(gateway, ({ pv }) => pv.watts !== null, 'both again')
})

test('a battery whose content is not known is still one while its inverter is away', async () => {
  await using plant = await startPlant({ speed: 60, faults: { values: { battery_ah_capacity: 0 } } })
  const { gateway, second } = plant
  const isUnknown = ({ unknown_batteries: unknown }: PlantReply) => unknown.join() === 'second'
  const before = await plantWhen(gateway, (now) => now.pv.watts !== null && isUnknown(now), 'a battery of unknown size')
  assert.equal(before.soc_percent, null)
  second.setFaults({ refuse: true })
  const without = await plantWhen(gateway, ({ away }) => away.length > 0, 'one away')
  assert.deepEqual([without.unknown_batteries, without.soc_percent], [['second'], null])
})

test('an inverter without a battery that switches off in the dark counts as nothing, and the sums stay whole', async () => {
  const timers = createFastTimers(150, Date.UTC(2026, 10, 10, 21))
  await using plant = await startPlant({ timers, faults: { values: { battery_ah_capacity: 0, battery_soc: 0 } } })
  const { gateway, second } = plant
  await slotsWhen(gateway, 'second', (slots) => slots.some(({ source }) => source === 'gateway'))
  await darkNightBefore(gateway)
  second.setFaults({ refuse: true })
  const isOff = ({ inverters }: PlantReply) =>
    inverters.some(({ device_id: id, is_off_for_night: off }) => id === 'second' && off)
  const night = await plantWhen(gateway, isOff, 'an inverter that is off for the night')
  assert.deepEqual([night.pv.watts, night.away], [0, []])
  assert.notEqual(night.house.watts, null)
  assert.deepEqual(
    night.inverters.map(({ device_id: id, is_off_for_night: off }) => [id, off]),
    [
      ['main', false],
      ['second', true],
    ],
  )
})

/** Stores a dark night of the second inverter, a day ago, beside the running service. */
async function darkNightBefore(gateway: TestGateway): Promise<void> {
  const { database } = await openStorage(readConfig({ DATA_DIR: gateway.folder }))
  const meter = await addMeter(database.query, 'second')
  const first = slotAt(gateway.timers.now()) - 25 * slotsPerHour
  const slots = Array.from({ length: 8 * slotsPerHour }, (_, index) => {
    return { ...energiesOf(() => 0), ...noPowers, slot: first + index, soc: null, source: 2 }
  })
  await writeSlots(database.query, { meter, slots, days: new LocalDays('UTC'), change: {} })
  await database.close()
}

test('the history of the plant marks what is missing, and fills it when the inverter is back, with a counter that began again too', async () => {
  await using plant = await startPlant()
  const { gateway, second } = plant
  // An inverter is part of the plant from its first slot on.
  await slotsWhen(gateway, 'second', (slots) => slots.length >= 2)
  await slotsWhen(gateway, '@plant', (slots) => slots.length >= 3)
  second.setFaults({ refuse: true })
  const begun = gateway.timers.now()
  await slotsWhen(gateway, 'main', (slots) => Date.parse(slots.at(-1)?.start ?? '') > begun + 1_200_000)
  const during = await slotsOf(gateway, '@plant')
  assert.ok(Date.parse(during.at(-1)?.start ?? '') < begun + 300_000, 'nothing is added up while one is away')
  const history = await gateway.send('GET', '/api/v1/devices/@plant/energy-history?period=day', {
    token: gateway.tokens.read,
  })
  assert.ok(
    (history.body.missing as { device_id: string }[]).some(({ device_id: id }) => id === 'second'),
    'the answer says who is missing',
  )
  // It returns with a counter of the sun that has begun again.
  second.setFaults({ refuse: false, values: { energy_e_dc_total_0: 5 } })
  const back = gateway.timers.now()
  const all = await slotsWhen(gateway, '@plant', (slots) => Date.parse(slots.at(-1)?.start ?? '') > back + 600_000)
  const energies = all.map(({ pv_wh: wattHours }) => wattHours ?? 0)
  assert.ok(Math.min(...energies) >= 0 && Math.max(...energies) < 3000, `no sum falls or jumps: ${energies.join(' ')}`)
  const [own, other] = [await slotsOf(gateway, 'main'), await slotsOf(gateway, 'second')]
  for (const slot of all) {
    const [a, b] = [own, other].map((slots) => slots.find(({ start }) => start === slot.start))
    assert.equal(slot.pv_wh, (a?.pv_wh ?? 0) + (b?.pv_wh ?? 0), slot.start)
    // A busy machine may have missed a slot of the inverter with the meter.
    assert.deepEqual([slot.import_wh, slot.export_wh], [a?.import_wh ?? null, a?.export_wh ?? null])
  }
})

test('a plant that is set up later is added up for the time before too, and goes with its last sensor', async () => {
  await using plant = await startPlant()
  const { gateway } = plant
  await slotsWhen(gateway, 'second', (slots) => slots.length >= 2)
  const whole = await slotsWhen(gateway, '@plant', (slots) => slots.length >= 4)
  await gateway.operate('PUT', '/admin/api/plant', { enabled: false, display_name: 'House', inverters: [] })
  const refused = await gateway.send('GET', '/api/v1/devices/@plant/energy-history', { token: gateway.tokens.read })
  assert.equal(refused.status, 404)
  assert.equal((await gateway.send('GET', '/api/v1/plant', { token: gateway.tokens.read })).status, 409)
  await joinPlant(gateway)
  // The logs of the inverters may have added more by then.
  const measured = whole.filter(({ source }) => source === 'gateway')
  const sameOf = (slots: readonly Bucket[]) =>
    slots.filter(({ start }) => measured.some((slot) => slot.start === start))
  const again = await slotsWhen(gateway, '@plant', (slots) => sameOf(slots).length === measured.length)
  assert.deepEqual(sameOf(again), measured)
  await gateway.operate('DELETE', '/admin/api/devices/second')
  await plantWhen(gateway, ({ away, inverters }) => away.length === 0 && inverters.length === 1, 'the one that is left')
  await gateway.operate('DELETE', '/admin/api/devices/main')
  const left = (await gateway.operate('GET', '/admin/api/plant')) as { settings: { enabled: boolean } }
  assert.equal(left.settings.enabled, false)
})

test('a plant that cannot be added up is refused by what is wrong', async () => {
  await using gateway = await startGateway()
  const refused = (inverters: unknown, why: RegExp) =>
    assert.rejects(gateway.operate('PUT', '/admin/api/plant', { enabled: true, display_name: '', inverters }), why)
  await refused([], /must name the inverters/)
  await refused([{ device_id: 'main', sees_grid: false }], /sees_grid/)
  await refused([{ device_id: 'other', sees_grid: true }], /names no inverter: other/)
  const one = { device_id: 'main', sees_grid: true }
  await refused([one, one], /twice/)
})
