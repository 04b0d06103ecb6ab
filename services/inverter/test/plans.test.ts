import assert from 'node:assert/strict'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { main, startGateway } from './in-process.ts'
import { noonTimers } from './history-fixture.ts'
import { configurePlans, planWhen, readPlan, writeHours, writePrices, type PlanReply } from './plans-fixture.ts'

const limits = { max_charge_power_w: 3000, max_discharge_power_w: 3000 }

test('a plan says what it does and why, and a read token may read it', async () => {
  await using gateway = await startGateway({ timers: noonTimers(20) })
  await gateway.isReady()
  assert.equal((await readPlan(gateway)).status.state, 'off')
  await gateway.operate('PUT', '/admin/api/dispatch/devices/main', limits)
  writePrices(gateway, 30, (hour) => (hour < 3 ? 0.05 : hour < 8 ? 0.6 : 0.3))
  await configurePlans(gateway, { enabled: true, price_source: 'file' })
  const { plan, status } = await planWhen(gateway, ({ plan }) => plan !== null, 'a plan')
  assert.equal(status.carrying, 'off')
  const charge = plan?.blocks.find(({ action }) => action === 'charge')
  assert.match(charge?.reason ?? '', /Cheap energy at 0\.05\d?, used up to 0\.60 at \d\d:00/)
  assert.ok(plan !== null && plan.expected_cost < plan.expected_cost_without)
  const journal = (await gateway.operate('GET', main('/journal'))) as { entries: { cause: string }[] }
  assert.deepEqual(
    journal.entries.filter(({ cause }) => cause === 'dispatch'),
    [],
  )
})

test('what is missing is said in words, and a start without it makes no plan', async () => {
  await using gateway = await startGateway({ timers: noonTimers(20) })
  await gateway.isReady()
  await configurePlans(gateway, { enabled: true, price_source: 'file' })
  const waiting = await planWhen(
    gateway,
    ({ status }) => status.missing.length > 0 && status.price_error !== null,
    'words',
  )
  assert.deepEqual(waiting.status.missing, [
    'The inverter main has no power limits; set them on the page Inverters.',
    'There are no prices: there is no plans/prices.csv or plans/prices.json in the data directory.',
  ])
  assert.equal(waiting.plan, null)
})

test('settings that do not go together are refused by the name of what is wrong', async () => {
  await using gateway = await startGateway({ device: null })
  const refused = (changes: Record<string, unknown>, name: RegExp) =>
    assert.rejects(configurePlans(gateway, { enabled: true, ...changes }), name)
  await refused({ price_source: 'entsoe' }, /price_area/)
  await refused({ price_source: 'tibber' }, /key/)
  await refused({ price_source: 'awattar', currency: 'SEK' }, /currency must be EUR with awattar/)
  const rates = { price_source: 'octopus', price_area: 'E-1R-AGILE-24-10-01-C' }
  await refused({ ...rates, currency: 'EUR' }, /currency must be GBP with octopus/)
  await configurePlans(gateway, { enabled: true, ...rates, currency: 'GBP' })
  await refused({ forecast_source: 'open-meteo' }, /latitude/)
  await refused({ forecast_source: 'open-meteo', latitude: 52, longitude: 13 }, /planes/)
  await refused({ device_id: 'nothing' }, /device_id/)
  await refused({ windows: [{ days: 'daily', from: '25:00', to: '06:00', price: 0.2 }] }, /windows/)
  await refused({ price_source: 'json', price_url: 'http://user:secret@host/prices' }, /price_url/)
})

/** What a server of prices answers to a request with the hours from now on; undefined for nothing. */
type PriceAnswer = (request: IncomingMessage, rows: readonly object[]) => object | undefined

/** A gateway with the limits that plans need, and a server of prices on this machine, with the settings that lead to it. */
async function startWithPrices(answer: PriceAnswer) {
  const timers = noonTimers(20)
  const server = createServer((request, response) => {
    const begin = Math.floor(timers.now() / 3_600_000) * 3_600_000
    const at = (hour: number) => begin / 1000 + hour * 3600
    const rows = Array.from({ length: 40 }, (_, hour) => ({ at: at(hour), ct: 20 + hour, net: 10 }))
    const document = answer(request, rows)
    if (document === undefined) response.writeHead(503).end()
    else response.end(JSON.stringify(document))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const gateway = await startGateway({ timers, environment: { OUTBOUND_ALLOW: `127.0.0.1:${port}` } })
  await gateway.isReady()
  await gateway.operate('PUT', '/admin/api/dispatch/devices/main', limits)
  return {
    gateway,
    source: { price_source: 'json', price_url: `http://127.0.0.1:${port}/prices`, price_list: 'rows' },
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      server.close()
    },
  }
}

test('prices come from any JSON with the key in a header, and the key stays in the database', async () => {
  const seen: { url: string | undefined; authorization: string | undefined }[] = []
  const answer: PriceAnswer = (request, rows) => {
    seen.push({ url: request.url, authorization: request.headers.authorization })
    return { rows }
  }
  await using priced = await startWithPrices(answer)
  const { gateway, source } = priced
  const places = { price_start: 'at', price_value: 'ct', price_unit: 'hundredth_kwh', key: 'tall-secret-giraffe' }
  await configurePlans(gateway, { enabled: true, ...source, ...places })
  const { plan } = await planWhen(gateway, (reply) => reply.plan !== null, 'a plan')
  assert.equal(plan?.steps[0]?.buy, 0.2)
  assert.deepEqual(seen[0], { url: '/prices', authorization: 'Bearer tall-secret-giraffe' })
  assert.equal(seen.length, 1)
  const view = JSON.stringify(await gateway.operate('GET', '/admin/api/plan'))
  assert.ok(!view.includes('giraffe') && view.includes('"has_key":true'))
  await assert.rejects(configurePlans(gateway, { price_url: 'http://127.0.0.1:1/other' }), /key/)
  for (const name of readdirSync(gateway.folder))
    if (name.includes('.db')) assert.ok(!readFileSync(join(gateway.folder, name)).includes('giraffe'))
})

/** Whether a source has failed and either a plan was made all the same, or it is said what is missing. */
const isDecided =
  (errorOf: (status: PlanReply['status']) => string | null) =>
  ({ status, plan }: PlanReply): boolean =>
    errorOf(status) !== null && (plan !== null || status.missing.length > 0)

test('prices of settings that have changed are gone, also while the new source does not answer', async () => {
  let isAway = false
  await using priced = await startWithPrices((_, rows) => (isAway ? undefined : { rows, others: rows }))
  const { gateway, source } = priced
  const places = { price_start: 'at', price_value: 'ct', price_unit: 'hundredth_kwh', forecast_source: 'none' }
  const before = { enabled: true, ...source, ...places, key: 'tall-giraffe' }
  for (const changes of [
    { price_unit: 'kwh' },
    { price_list: 'others' },
    { price_value: 'net' },
    { price_end: 'end' },
    { price_start: 'since' },
    { key: 'small-giraffe' },
  ]) {
    isAway = false
    await configurePlans(gateway, before)
    await planWhen(gateway, ({ status }) => status.state === 'ready', 'a plan')
    isAway = true
    await configurePlans(gateway, { ...before, ...changes })
    const { status, plan } = await planWhen(
      gateway,
      isDecided(({ price_error: error }) => error),
      'the failure',
    )
    assert.deepEqual([status.state, plan], ['waiting', null], JSON.stringify(changes))
  }
})

test('a forecast of another place or other panels is gone', async () => {
  await using gateway = await startGateway({ timers: noonTimers(20) })
  await gateway.isReady()
  await gateway.operate('PUT', '/admin/api/dispatch/devices/main', limits)
  const file = join(gateway.folder, 'plans', 'solar.csv')
  const before = { enabled: true, forecast_source: 'file', latitude: 52, longitude: 13, planes: [] as unknown[] }
  for (const changes of [{ latitude: 48 }, { longitude: 9 }, { planes: [{ tilt: 30, azimuth: 0, peak_w: 5000 }] }]) {
    writeHours(gateway, { name: 'solar.csv', hours: 40, value: () => 100 })
    await configurePlans(gateway, before)
    await planWhen(gateway, ({ status }) => status.state === 'ready', 'a plan')
    rmSync(file)
    await configurePlans(gateway, { ...before, ...changes })
    const { status, plan } = await planWhen(
      gateway,
      isDecided(({ forecast_error: error }) => error),
      'the failure',
    )
    assert.deepEqual([status.state, plan], ['waiting', null], JSON.stringify(changes))
  }
})
