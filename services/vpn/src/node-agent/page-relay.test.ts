import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { createSkippingTimers } from '@hearth/runtime'
import { eventually, freePort } from '@hearth/testing'
import { type ControlLink, ControlRefused } from './control-link.ts'
import { createPageRelay } from './page-relay.ts'

/** A page of an interface at loopback, where 127.0.1.0/24 is behind a peer and other addresses are those of peers. */
async function openRelay() {
  const port = await freePort()
  const world = { port, answer: (): unknown => ({ status: 200, text: 'page', headers: {} }), sent: 0 }
  const lines: string[] = []
  const send = async () => {
    world.sent += 1
    return world.answer()
  }
  const relay = createPageRelay({
    link: { send } as unknown as ControlLink,
    timers: createSkippingTimers(),
    log: { warn: (line: unknown) => void lines.push(String(line)) },
    isPeer: (name, address) => name === 'wg0' && !address.startsWith('127.0.1.'),
  })
  await relay.bring([{ interface: 'wg0', address: '127.0.0.1', port }])
  return Object.assign(world, { lines, [Symbol.asyncDispose]: () => relay.bring([]) })
}

/** Asks for the page from an address of loopback. */
async function get(
  port: number,
  from = '127.0.0.2',
): Promise<{ status: number | undefined; text: string; after: unknown }> {
  const asked = request({ host: '127.0.0.1', port, localAddress: from, agent: false }).end()
  const [reply] = await once(asked, 'response')
  let text = ''
  for await (const piece of reply) text += String(piece)
  return { status: reply.statusCode, text, after: reply.headers['retry-after'] }
}

test('a device with many addresses behind it has one budget for all of them, and the others keep theirs', async () => {
  await using world = await openRelay()
  const refused = async (from: (index: number) => string) => {
    let count = 0
    for (let index = 0; index < 130; index += 1) if ((await get(world.port, from(index))).status === 429) count += 1
    return count
  }
  assert.equal(await refused((index) => `127.0.1.${index + 1}`), 10)
  assert.equal(world.sent, 120)
  assert.equal(await refused(() => '127.0.0.2'), 10)
  assert.equal((await get(world.port, '127.0.0.3')).status, 200)
})

test('when the service has too many requests of the node, a person is told to wait', async () => {
  await using world = await openRelay()
  world.answer = () => Promise.reject(new ControlRefused(429, 'Too many requests. Try again in a minute.'))
  const { status, text, after } = await get(world.port)
  assert.deepEqual([status, after], [429, '60'])
  assert.match(text, /Try again in a minute/)
  assert.deepEqual(world.lines, [])
})

test('a service that is away is named once, and again after it answered', async () => {
  await using world = await openRelay()
  const { answer } = world
  const away = () => Promise.reject(new Error('connect ECONNREFUSED'))
  for (const now of [away, away, answer, away, away]) {
    world.answer = now
    assert.equal((await get(world.port)).status, now === away ? 503 : 200)
  }
  assert.equal(world.lines.length, 2)
  assert.match(
    world.lines[0] ?? '',
    /^the service does not answer for the page inside the tunnel: connect ECONNREFUSED/,
  )
})

test('a browser that breaks its form off is no service that is away', async () => {
  await using world = await openRelay()
  const socket = connect(world.port, '127.0.0.1')
  socket.write('POST /ask HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n')
  // The request has arrived when the server lets the body come.
  await once(socket, 'data')
  socket.write('domain=')
  socket.destroy()
  await once(socket, 'close')
  await eventually(
    () => get(world.port, '127.0.0.3'),
    ({ status }) => status === 200,
  )
  assert.deepEqual([world.sent, world.lines], [1, []])
})
