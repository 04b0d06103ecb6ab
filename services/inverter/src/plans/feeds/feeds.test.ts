import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import { test } from 'node:test'
import { createOutboundAllow } from '@hearth/outbound'
import { createFastTimers } from '@hearth/runtime'
import { publicSources } from '../prices/all-sources.ts'
import { Feed } from './feed.ts'
import { createRequests } from './request.ts'

/** A server on this machine, and what asks it. */
async function serve(listener: RequestListener) {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const send = createRequests(createOutboundAllow([`127.0.0.1:${port}`]), new AbortController().signal)
  return {
    host: `127.0.0.1:${port}`,
    ask: (parse: (text: string) => unknown = String) =>
      send({ url: `http://127.0.0.1:${port}/prices?securityToken=tall-giraffe` }, parse),
    [Symbol.dispose]: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

test('a source that fails is named by its host, and never by an address that has a key', async () => {
  using broken = await serve((_, response) => response.writeHead(503).end('busy'))
  await assert.rejects(broken.ask(), { message: `${broken.host} answered 503` })
  using cut = await serve((request) => request.socket.destroy())
  await assert.rejects(cut.ask(), ({ message }: Error) => message.includes('127.0.0.1') && !message.includes('giraffe'))
  using endless = await serve((_, response) => {
    response.write(Buffer.alloc(5 * 1_048_576, 32))
    response.end()
  })
  await assert.rejects(endless.ask(), ({ message }: Error) => !message.includes('giraffe'))
  const guarded = createRequests(createOutboundAllow([]), new AbortController().signal)
  await assert.rejects(guarded({ url: `http://${broken.host}/` }, String), /OUTBOUND_ALLOW exempts/)
})

test('a refusal is told in the words of the source', async () => {
  const text =
    '<Acknowledgement_MarketDocument><Reason><text>Unauthorized. Missing token</text></Reason></Acknowledgement_MarketDocument>'
  using refusing = await serve((_, response) => response.writeHead(401).end(text))
  const query = { from: 0, until: 1, area: '', currency: 'EUR', key: '' }
  const asked = refusing.ask((answer) => publicSources.entsoe.parse(answer, query))
  await assert.rejects(asked, { message: 'the platform says: Unauthorized. Missing token' })
})

test('after failures the pauses grow, and a person cannot ask without end', async () => {
  const timers = createFastTimers(1000)
  let asked = 0
  let isBroken = true
  const feed = new Feed({
    timers,
    minPauseMs: 60_000,
    load: () => {
      asked += 1
      const dueAt = timers.now() + 3_600_000
      return isBroken ? Promise.reject(new Error('away')) : Promise.resolve({ dueAt, isNew: true })
    },
  })
  assert.equal(await feed.refresh(), false)
  assert.equal(feed.error, 'away')
  feed.hurry()
  await feed.refresh()
  assert.equal(asked, 1)
  timers.jump(376_000)
  await feed.refresh()
  assert.equal(asked, 2)
  timers.jump(376_000)
  await feed.refresh()
  assert.equal(asked, 2)
  isBroken = false
  feed.hurry()
  assert.equal(await feed.refresh(), true)
  assert.equal(feed.error, null)
})

test('a clock that was ahead puts off no load once it is corrected', async () => {
  const timers = createFastTimers(1)
  const year = 365 * 86_400_000
  let asked = 0
  const feed = new Feed({
    timers,
    minPauseMs: 60_000,
    load: () => {
      asked += 1
      const dueAt = timers.now() + 3_600_000
      // The first one ends only when the clock is right again.
      if (asked === 1) timers.jump(-year)
      return Promise.resolve({ dueAt, isNew: true })
    },
  })
  timers.jump(year)
  await feed.refresh()
  await feed.refresh()
  assert.equal(asked, 2)
  await feed.refresh()
  assert.equal(asked, 2)
  timers.jump(-7_200_000)
  await feed.refresh()
  assert.equal(asked, 3)
})
