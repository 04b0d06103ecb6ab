import assert from 'node:assert/strict'
import type { Readable } from 'node:stream'
import { test } from 'node:test'
import { createLog } from '@hearth/runtime'
import { createPostgresDatabase, eventually, postgresObstacle } from '@hearth/testing'
import { Client, Pool } from 'pg'
import {
  createLocalBus,
  EventStream,
  openPostgresBus,
  type EventBus,
  type EventStreamOptions,
  type Subscriber,
} from './index.ts'

interface Note {
  readonly text: string
}

/** Everything a subscriber received so far. */
function reader(stream: Readable | undefined) {
  assert.ok(stream !== undefined)
  let text = ''
  let isOver = false
  stream.setEncoding('utf8').on('data', (part: string) => (text += part))
  stream.on('close', () => (isOver = true))
  const messages = () =>
    [...text.matchAll(/^id: (\d+)\ndata: (.*)$/gm)].map(([, id = '', data = '']) => ({
      id,
      text: (JSON.parse(data) as Note).text,
    }))
  return {
    messages,
    raw: () => text,
    isOver: () => isOver,
    async texts(count: number) {
      await eventually(messages, ({ length }) => length >= count)
      return messages().map((message) => message.text)
    },
  }
}

/** A subscriber without a filter that is greeted with `hello` or `state` and told why its stream ends. */
const everything = (more: Partial<Subscriber<Note>> = {}): Subscriber<Note> => ({
  owner: 'me',
  view: (event) => event,
  isAllowed: () => Promise.resolve(true),
  greet: (hasMissed) => ({ text: hasMissed ? 'state' : 'hello' }),
  farewell: (reason, id) => ({ id, data: { text: reason } }),
  ...more,
})

interface Buses {
  readonly here: EventBus<Note>
  readonly there: EventBus<Note>
  readonly url: string
  readonly close: () => Promise<void>
}

/** Two buses that carry the same events: one of this process, or those of two processes. */
const kinds: [string, string | false, () => Promise<Buses>][] = [
  [
    'one process',
    false,
    () => {
      const bus = createLocalBus<Note>()
      return Promise.resolve({ here: bus, there: bus, url: '', close: () => bus.close() })
    },
  ],
  [
    'PostgreSQL',
    postgresObstacle(),
    async () => {
      const url = await createPostgresDatabase()
      const pool = new Pool({ connectionString: url, max: 2 })
      pool.on('error', () => undefined)
      const open = () =>
        openPostgresBus<Note>({
          url,
          pool,
          log: createLog({ name: 'test', level: 'silent' }),
          channel: 'some notes',
          sequence: 'some notes seq',
          shorten: ({ text }) => ({ text: `${text.slice(0, 100)}…` }),
        })
      const [here, there] = [await open(), await open()]
      const close = async () => {
        await Promise.all([here.close(), there.close()])
        await pool.end()
      }
      return { here, there, url, close }
    },
  ],
]

for (const [kind, skip, openBuses] of kinds) {
  const open = async (options: EventStreamOptions<Note> = {}) => {
    const { here, there, url, close } = await openBuses()
    const stream = new EventStream<Note>({ bus: here, remembered: 3, ...options })
    return {
      stream,
      url,
      say: (text: string) => there.publish({ text }),
      listen: async (more?: Partial<Subscriber<Note>>) => reader(await stream.subscribe(everything(more))),
      async [Symbol.asyncDispose]() {
        stream.close()
        await close()
      },
    }
  }

  test(`${kind}: every subscriber gets every event, in one order, with ascending ids`, { skip }, async () => {
    await using events = await open()
    const [one, two] = [await events.listen(), await events.listen()]
    for (let index = 0; index < 20; index += 1) events.say(`${index}`)
    const expected = ['hello', ...Array.from({ length: 20 }, (_, index) => `${index}`)]
    assert.deepEqual([await one.texts(21), await two.texts(21)], [expected, expected])
    assert.deepEqual(one.messages(), two.messages())
    const ids = one.messages().map(({ id }) => Number(id))
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => a - b),
    )
    assert.match(one.raw(), /^retry: 2000\n/)
  })

  test(
    `${kind}: a reconnect continues after the last event, or gets a new greeting when events are missing`,
    { skip },
    async () => {
      await using events = await open()
      const first = await events.listen()
      for (const text of ['a', 'b', 'c', 'd']) events.say(text)
      await first.texts(5)
      const idOf = (wanted: string) => first.messages().find(({ text }) => text === wanted)?.id
      const textsFrom = async (lastEventId: string | undefined, count: number) =>
        (await events.listen({ lastEventId })).texts(count)
      assert.deepEqual(await textsFrom(idOf('c'), 1), ['d'])
      assert.deepEqual(await textsFrom(idOf('a'), 3), ['b', 'c', 'd'])
      for (const unknown of [idOf('hello'), 'nonsense', '', String(Number.MAX_SAFE_INTEGER)])
        assert.deepEqual(await textsFrom(unknown, 1), ['state'], `from ${unknown}`)
      const upToDate = await events.listen({ lastEventId: idOf('d') })
      events.say('e')
      assert.deepEqual(await upToDate.texts(1), ['e'])
    },
  )

  test(`${kind}: events published while the greeting is prepared follow it`, { skip }, async () => {
    await using events = await open({ remembered: 10 })
    const other = await events.listen()
    const state = Promise.withResolvers<object>()
    const listening = events.listen({ greet: () => state.promise })
    for (const text of ['a', 'b']) events.say(text)
    await other.texts(3)
    state.resolve({ text: 'state' })
    assert.deepEqual(await (await listening).texts(3), ['state', 'a', 'b'])
    await assert.rejects(events.listen({ greet: () => Promise.reject(new Error('no state')) }), /no state/)
    await eventually(
      () => events.stream.size,
      (size) => size === 2,
    )
  })

  test(
    `${kind}: a subscriber that does not read is notified and disconnected; others miss no event`,
    { skip },
    async () => {
      await using events = await open({ maxQueued: { messages: 8 } })
      const stalled = await events.stream.subscribe(everything())
      const reading = await events.listen()
      for (let index = 0; index < 60; index += 1) {
        events.say(`${index} ${'x'.repeat(2000)}`)
        await reading.texts(index + 2)
      }
      assert.equal(reading.isOver(), false)
      const late = reader(stalled)
      await eventually(late.isOver, Boolean)
      const texts = late.messages().map(({ text }) => text)
      assert.equal(texts.at(-1), 'lagging')
      assert.ok(texts.length < 30, `${texts.length} messages were kept`)
    },
  )
}

test('the queue is also bounded in bytes, and replayed events do not count', async () => {
  const stream = new EventStream<Note>({ remembered: 100, maxQueued: { bytes: 10_000 } })
  const first = reader(await stream.subscribe(everything()))
  for (let index = 0; index < 50; index += 1) {
    stream.publish({ text: `${index} ${'x'.repeat(1000)}` })
    await first.texts(index + 2)
  }
  const back = await stream.subscribe(everything({ lastEventId: first.messages()[0]?.id }))
  const { farewell: _farewell, ...withoutFarewell } = everything()
  const stalled = await stream.subscribe(withoutFarewell)
  stream.publish({ text: 'after the replay' })
  assert.equal(back?.destroyed, false)
  for (let index = 0; index < 40; index += 1) stream.publish({ text: 'y'.repeat(1000) })
  assert.equal(stalled?.destroyed, true, 'without a last message a stream is cut off at once')
  stream.close()
})

test('a Last-Event-ID of an earlier run gets a new greeting', async () => {
  const earlier = new EventStream<Note>({ bus: createLocalBus(1000), remembered: 10 })
  const before = reader(await earlier.subscribe(everything()))
  await before.texts(1)
  earlier.close()
  const stream = new EventStream<Note>({ bus: createLocalBus(2000), remembered: 10 })
  const after = reader(await stream.subscribe(everything({ lastEventId: before.messages()[0]?.id })))
  assert.deepEqual(await after.texts(1), ['state'])
  stream.close()
})

test('streams are limited in total and per owner, and closing one frees its slot', async () => {
  const stream = new EventStream<Note>({ maxStreams: 5, maxPerOwner: 2 })
  const opened = await Promise.all(
    ['a', 'a', 'a', 'b', 'b', 'c', 'd'].map((owner) => stream.subscribe(everything({ owner }))),
  )
  assert.deepEqual(
    opened.map((one) => one !== undefined),
    [true, true, false, true, true, true, false],
  )
  opened[0]?.destroy()
  await eventually(
    () => stream.size,
    (size) => size === 4,
  )
  assert.ok((await stream.subscribe(everything({ owner: 'a' }))) !== undefined)
  stream.close()
})

test('a heartbeat keeps an idle stream open and ends one whose owner is no longer allowed', async () => {
  const stream = new EventStream<Note>({ heartbeatMs: 20, heartbeat: 'alive' })
  let isAllowed = true
  const listen = async (more: Partial<Subscriber<Note>>) => reader(await stream.subscribe(everything(more)))
  const kept = await listen({})
  const ended = await listen({ isAllowed: () => Promise.resolve(isAllowed) })
  const failing = await listen({ isAllowed: () => Promise.reject(new Error('no database')) })
  await eventually(ended.raw, (text) => text.includes(': alive\n\n'))
  isAllowed = false
  await eventually(() => ended.isOver() && failing.isOver(), Boolean)
  assert.deepEqual(await ended.texts(2), ['hello', 'denied'])
  await eventually(kept.raw, (text) => (text.match(/: alive/g)?.length ?? 0) > 3)
  assert.equal(kept.isOver(), false)
  stream.close()
  await eventually(kept.isOver, Boolean)
  assert.deepEqual(await kept.texts(2), ['hello', 'closing'])
})

test('each subscriber gets its own view, and selected streams can be ended', async () => {
  const stream = new EventStream<Note>({ remembered: 10 })
  const listen = async (more: Partial<Subscriber<Note>>) => reader(await stream.subscribe(everything(more)))
  const half = await listen({ userId: 'ada', view: (event) => (Number(event.text) % 2 === 0 ? event : undefined) })
  const whole = await listen({ userId: 'eve' })
  for (let index = 1; index <= 4; index += 1) stream.publish({ text: String(index) })
  assert.deepEqual([await half.texts(3), (await whole.texts(5)).length], [['hello', '2', '4'], 5])
  const back = await listen({ lastEventId: half.messages()[1]?.id, view: (event) => ({ text: `only ${event.text}` }) })
  assert.deepEqual(await back.texts(2), ['only 3', 'only 4'])
  stream.end(({ userId }) => userId === 'ada')
  await eventually(half.isOver, Boolean)
  assert.equal(whole.isOver(), false)
  stream.close()
})

test(
  'on PostgreSQL a large event is shortened, and a lost event ends the streams',
  { skip: postgresObstacle() },
  async () => {
    const buses = await kinds[1]![2]()
    const stream = new EventStream<Note>({ bus: buses.here, remembered: 10 })
    const listen = async (more: Partial<Subscriber<Note>> = {}) => reader(await stream.subscribe(everything(more)))
    const first = await listen()
    buses.there.publish({ text: 'é'.repeat(9000) })
    assert.equal((await first.texts(2))[1]?.length, 101)

    // An administrator terminates every connection of the service, so that events published meanwhile are lost.
    const administrator = new Client({ connectionString: buses.url })
    administrator.on('error', () => undefined)
    await administrator.connect()
    await administrator.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    await administrator.end()
    await eventually(first.isOver, Boolean)
    assert.equal((await first.texts(3)).at(-1), 'gap')
    const lastEventId = first.messages().at(-1)?.id
    assert.deepEqual(await (await listen({ lastEventId })).texts(1), ['state'], 'nobody continues over a gap')
    const fresh = await listen({ greet: () => Promise.resolve({ text: 'fresh' }) })
    await eventually(
      () => {
        buses.there.publish({ text: 'again' })
        return fresh.messages().map(({ text }) => text)
      },
      (texts) => texts.includes('again'),
    )
    stream.close()
    await buses.close()
  },
)

test(
  'on PostgreSQL ids continue after a restart, and an invalid notification ends the streams',
  { skip: postgresObstacle() },
  async () => {
    const { here, there, url, close } = await kinds[1]![2]()
    there.publish({ text: 'a' })
    await eventually(
      () => here.lastId,
      (id) => id > 0,
    )
    const stream = new EventStream<Note>({ bus: here, remembered: 10 })
    const listening = reader(await stream.subscribe(everything()))
    assert.deepEqual(await listening.texts(1), ['hello'])
    assert.equal(listening.messages()[0]?.id, String(here.lastId))
    const stranger = new Client({ connectionString: url })
    await stranger.connect()
    await stranger.query(`notify "some notes", 'hello there'`)
    await stranger.end()
    await eventually(listening.isOver, Boolean)
    assert.deepEqual(await listening.texts(2), ['hello', 'gap'])
    stream.close()
    await close()
  },
)
