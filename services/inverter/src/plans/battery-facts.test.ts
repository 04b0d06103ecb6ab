import assert from 'node:assert/strict'
import { test } from 'node:test'
import { batteryFacts } from './battery-facts.ts'
import type { PlanDependencies, PlannedDevice } from './dependencies.ts'
import { defaultSettings } from './plan-settings.ts'

const inverter = (id: string) => ({ id, displayName: id, maxChargePowerW: 2000, maxDischargePowerW: 2000 })
const settings = { ...defaultSettings, price_source: 'fixed' as const }

/** Inverters whose values are all in the cache; `away` does not answer, of `late` nobody knows yet. */
const dependencies = {
  devices: () => ['a', 'away', 'late'].map(inverter),
  isThere: (id: string) => id !== 'away',
  readBattery: (id: string) => Promise.resolve({ soc: 0.5, minSoc: 0.07, isStale: id !== 'a' }),
  history: { capacityOf: () => Promise.resolve(9600) },
} as unknown as PlanDependencies

const factsOf = (id: string, ...ids: string[]) =>
  batteryFacts({ dependencies, settings, subject: { id, devices: ids.map(inverter) } })

test('one of several inverters that is away is left out, whatever is still known of its battery', async () => {
  const { devices, leftOut, missing } = await factsOf('@plant', 'a', 'away', 'late')
  assert.deepEqual(
    devices.map(({ id }) => id),
    ['a'],
  )
  assert.deepEqual([...leftOut.keys()], ['away', 'late'])
  assert.match(leftOut.get('away') ?? '', /away does not say how full its battery is/)
  assert.deepEqual(missing, [])
})

test('the only inverter is planned with what it said last', async () => {
  assert.equal((await factsOf('away', 'away')).devices.length, 1)
})

test('an inverter without a battery is left out of the plan of a plant without a word', async () => {
  const panels = { id: 'panels', displayName: 'panels', maxChargePowerW: null, maxDischargePowerW: null }
  const withPanels = {
    ...dependencies,
    devices: () => [inverter('a'), panels],
    readBattery: (id: string) => Promise.resolve({ soc: id === 'a' ? 0.5 : 0, minSoc: null, isStale: false }),
    history: { capacityOf: (id: string) => Promise.resolve(id === 'a' ? 9600 : null) },
  } as unknown as PlanDependencies
  const factsWith = (...devices: PlannedDevice[]) =>
    batteryFacts({ dependencies: withPanels, settings, subject: { id: '@plant', devices } })
  const { devices, leftOut } = await factsWith(inverter('a'), panels)
  assert.deepEqual([devices.map(({ id }) => id), leftOut.size], [['a'], 0])
  const { missing } = await factsWith(panels, { ...panels, id: 'more' })
  assert.match(missing.join(' '), /content of the battery of panels is not known/)
})
