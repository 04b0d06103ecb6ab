import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import { componentProblems } from './home-assistant.ts'
import { mosquittoObstacle, startBroker } from './mosquitto.ts'
import { configureMqtt, published, publishing } from './mqtt-fixture.ts'
import { startPlant, type TestPlant } from './plant-fixture.ts'

const off = { enabled: false, display_name: 'House', inverters: [] }

const scrape = async ({ gateway }: TestPlant): Promise<string> =>
  (await gateway.send('GET', '/metrics', { token: gateway.tokens.read })).text

test('the scraper gets the sums of the plant, and none of which a part is missing', async () => {
  await using plant = await startPlant({ speed: 60 })
  const { gateway, second } = plant
  await eventually(
    () => scrape(plant),
    (text) => /vendor_plant_house_power_watts \d/.test(text) && /vendor_plant_inverters 2/.test(text),
    { what: 'sums', seconds: 60, everyMs: 200 },
  )
  second.setFaults({ refuse: true })
  const without = await eventually(
    () => scrape(plant),
    (text) => /vendor_plant_inverters_away 1/.test(text),
    { what: 'one away', seconds: 60, everyMs: 200 },
  )
  assert.doesNotMatch(without, /vendor_plant_(?:pv|house|battery)_power_watts/)
  assert.match(without, /vendor_plant_grid_power_watts/)
  await gateway.operate('PUT', '/admin/api/plant', off)
  assert.doesNotMatch(await scrape(plant), /vendor_plant_/)
})

test(
  'Home Assistant gets the plant as one device, whose energies never fall',
  { skip: mosquittoObstacle() },
  async () => {
    await using broker = await startBroker()
    await using listener = await broker.listen()
    await using plant = await startPlant({ speed: 60 })
    const { gateway, second } = plant
    await configureMqtt(gateway, publishing(broker))
    const topic = (name: string) => `hearth/@plant/${name}/state`
    await published(listener, topic('pv_wh'))
    const config = [...listener.state()].find(
      ([name, text]) => name.endsWith('/config') && text.includes('hearth/@plant'),
    )
    const discovery = JSON.parse(config?.[1] ?? '{}') as {
      components: Record<string, never>
      device: { model: string }
    }
    assert.deepEqual(Object.values(discovery.components).flatMap(componentProblems), [])
    assert.equal(discovery.device.model, 'Solar plant')
    const energy = () => Number(listener.state().get(topic('pv_wh')))
    await eventually(energy, (wattHours) => wattHours > 100, { what: 'energy of the sun', seconds: 60 })
    second.setFaults({ refuse: true })
    await eventually(
      () => listener.state().get(topic('pv_power')),
      (text) => text === 'None',
      { what: 'no sum', seconds: 60 },
    )
    const seen = listener.messages.filter(({ topic: name }) => name === topic('pv_wh')).map(({ text }) => Number(text))
    assert.deepEqual(
      seen,
      seen.toSorted((a, b) => a - b),
    )
    await eventually(
      () => listener.state().get(topic('inverters_away')),
      (text) => text === '1',
      { what: 'one inverter that is away', seconds: 60 },
    )
    await gateway.operate('PUT', '/admin/api/plant', off)
    await eventually(
      () => [...listener.state().keys()].filter((name) => name.includes('@plant')),
      (left) => left.length === 0,
      { what: 'a broker without the plant', seconds: 60 },
    )
  },
)
