import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import { giveOwnSettings, ownSettings, registersOf } from './battery.ts'
import { noonTimers } from './history-fixture.ts'
import { main, startGateway, type TestGateway } from './in-process.ts'
import { configurePlans, planWhen, readPlan, writeHours } from './plans-fixture.ts'

/** Faults of a source of prices or of the sun, and what the inverter does then. */

const hourMs = 3_600_000

const stateOf = async (gateway: TestGateway): Promise<string> =>
  String((await gateway.call('GET', main('/battery/dispatch'))).body['state'])

const dispatchWhen = (gateway: TestGateway, state: string) =>
  eventually(
    () => stateOf(gateway),
    (found) => found === state,
    { what: state, seconds: 60, everyMs: 200 },
  )

/** Prices of the hours from now on that make the battery charge at once. */
const goodPrices = (now: number) =>
  Array.from({ length: 30 }, (_, hour) => ({
    start: new Date(Math.floor(now / hourMs) * hourMs + hour * hourMs).toISOString(),
    price: hour < 3 ? 0.05 : hour < 8 ? 0.9 : 0.3,
  }))

type Answer = (response: ServerResponse, now: number) => void

const json = (document: unknown) => (response: ServerResponse) => void response.end(JSON.stringify(document))

/** Answers of a source of prices by the path at which it gives them, and what the status says of each. */
const priceFaults: Readonly<Record<string, { answer: Answer; says: RegExp }>> = {
  busy: { answer: (response) => void response.writeHead(503).end('busy'), says: /answered 503/ },
  cut: { answer: (response) => void response.socket?.destroy(), says: /127\.0\.0\.1/ },
  'cut-within': {
    answer(response) {
      response.writeHead(200, { 'content-length': '1000' })
      response.write('[{"start":', () => response.socket?.destroy())
    },
    says: /127\.0\.0\.1/,
  },
  truncated: { answer: (response) => void response.end('[{"start":"2026-'), says: /not JSON/ },
  page: { answer: (response) => void response.end('<!doctype html><title>Log in</title>'), says: /not JSON/ },
  shape: { answer: json({ prices: [] }), says: /no list/ },
  nothing: { answer: json([]), says: /no prices from now on/ },
  past: {
    answer: (response, now) => json(goodPrices(now - 60 * hourMs))(response),
    says: /no prices from now on/,
  },
  words: {
    answer: (response, now) => json(goodPrices(now).map(({ start }) => ({ start, price: 'cheap' })))(response),
    says: /no number at price/,
  },
  infinite: {
    answer: (response, now) => void response.end(JSON.stringify(goodPrices(now)).replaceAll('0.05', '1e999')),
    says: /no number at price/,
  },
  'no-offset': {
    answer: (response, now) =>
      json(goodPrices(now).map(({ start, price }) => ({ start: start.slice(0, 19), price })))(response),
    says: /no time at start/,
  },
  many: { answer: json(Array.from({ length: 5001 }, () => ({ start: 1, price: 1 }))), says: /more than 5000/ },
  large: {
    answer(response) {
      response.on('error', () => undefined)
      response.end(Buffer.alloc(5 * 1_048_576, 32))
    },
    says: /127\.0\.0\.1/,
  },
  elsewhere: {
    answer: (response) => void response.writeHead(302, { location: 'http://127.0.0.2:9/prices' }).end(),
    says: /OUTBOUND_ALLOW/,
  },
}

/** A source of prices on this machine that fails in every way. */
async function startSource(now: () => number) {
  const held = new Set<ServerResponse>()
  const server = createServer((request, response) => {
    const fault = priceFaults[request.url?.slice(1) ?? '']
    if (request.url === '/silent') held.add(response)
    else if (fault !== undefined) fault.answer(response, now())
    else json(goodPrices(now()))(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    host: `127.0.0.1:${port}`,
    held,
    [Symbol.dispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const carried = { enabled: true, carries_out: true, forecast_source: 'none' }

test('whatever a source of prices does, the inverter goes back to its own settings, and on with the next good prices', async () => {
  const timers = noonTimers(20)
  using source = await startSource(() => timers.now())
  await using gateway = await startGateway({ timers, environment: { OUTBOUND_ALLOW: source.host } })
  giveOwnSettings(gateway.inverter)
  await gateway.isReady()
  await gateway.allowDispatch()
  const pricesAt = (path: string) => ({
    ...carried,
    price_source: 'json',
    price_url: `http://${source.host}/${path}`,
    price_list: '',
    price_start: 'start',
    price_value: 'price',
    key: 'tall-secret-giraffe',
  })
  await configurePlans(gateway, pricesAt('good'))
  await dispatchWhen(gateway, 'charging')
  for (const [name, { says }] of Object.entries(priceFaults)) {
    await configurePlans(gateway, pricesAt(name))
    const { status, plan } = await planWhen(gateway, ({ status: { price_error: error } }) => error !== null, name)
    assert.deepEqual([plan, status.state], [null, 'waiting'], name)
    assert.match(status.price_error ?? '', says, name)
    assert.ok(!JSON.stringify(status).includes('giraffe'), name)
    assert.equal(await stateOf(gateway), 'idle', name)
    assert.deepEqual(registersOf(gateway.inverter), ownSettings, name)
  }
  await configurePlans(gateway, pricesAt('silent'))
  await eventually(
    () => source.held.size,
    (count) => count > 0,
    { what: 'a request that nobody answers', seconds: 60 },
  )
  assert.equal((await readPlan(gateway)).plan, null)
  assert.deepEqual([await stateOf(gateway), registersOf(gateway.inverter)], ['idle', ownSettings])
  // What waits for it holds up neither a change of the settings nor the next prices.
  await configurePlans(gateway, pricesAt('good'))
  await dispatchWhen(gateway, 'charging')
})

test('whatever is wrong with a forecast of the sun, the inverter goes back to its own settings', async () => {
  const timers = noonTimers(20)
  await using gateway = await startGateway({ timers })
  giveOwnSettings(gateway.inverter)
  await gateway.isReady()
  await gateway.allowDispatch()
  const hours = (name: string, value: (hour: number) => number) => writeHours(gateway, { name, hours: 30, value })
  hours('prices.csv', (hour) => (hour < 3 ? 0.05 : hour < 8 ? 0.9 : 0.3))
  const file = join(gateway.folder, 'plans', 'solar.csv')
  const old = new Date(timers.now() - 60 * hourMs).toISOString()
  const faults: [what: string, make: () => void, says: RegExp][] = [
    ['no file', () => undefined, /there is no plans\/solar\.csv/],
    ['a folder', () => mkdirSync(file), /EISDIR|cannot|directory/i],
    ['nothing in it', () => writeFileSync(file, ''), /no forecast from now on/],
    ['an old one', () => writeFileSync(file, `${old},500\n`), /no forecast from now on/],
    ['words', () => writeFileSync(file, 'start,value\nnoon,sunny\n'), /line 2/],
    ['no number', () => writeFileSync(file, `${new Date(timers.now()).toISOString()},bright\n`), /line 1/],
    ['bytes', () => writeFileSync(file, Buffer.alloc(2000, 0xff)), /line 1|no forecast/],
    ['too much', () => writeFileSync(file, Buffer.alloc(5 * 1_048_576, 35)), /larger than 4 MiB/],
  ]
  // Another place makes what is stored that of a place before.
  for (const [index, [what, make, says]] of faults.entries()) {
    rmSync(file, { recursive: true, force: true })
    hours('solar.csv', () => 100)
    await configurePlans(gateway, {
      ...carried,
      price_source: 'file',
      forecast_source: 'file',
      latitude: index,
      longitude: 13,
    })
    await dispatchWhen(gateway, 'charging')
    rmSync(file)
    make()
    await configurePlans(gateway, {
      ...carried,
      price_source: 'file',
      forecast_source: 'file',
      latitude: index + 0.5,
      longitude: 13,
    })
    const { status, plan } = await planWhen(gateway, ({ status: { forecast_error: error } }) => error !== null, what)
    assert.match(status.forecast_error ?? '', says, what)
    assert.deepEqual([plan, status.state], [null, 'waiting'], what)
    assert.equal(await stateOf(gateway), 'idle', what)
    assert.deepEqual(registersOf(gateway.inverter), ownSettings, what)
  }
})
