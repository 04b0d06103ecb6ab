import assert from 'node:assert/strict'
import type { Readable } from 'node:stream'
import { test } from 'node:test'
import { createFastTimers, systemTimers } from '@hearth/runtime'
import { eventually } from '@hearth/testing'
import type { Role } from '../accounts/schema.ts'
import { createEvents, type Events, type Subscriber } from './events.ts'
import type { SiteEvent } from './schema.ts'

/** Events that came over a stream so far. */
class Heard {
  text = ''
  isOver = false

  constructor(stream: Readable) {
    stream.setEncoding('utf8')
    stream.on('data', (chunk: string) => (this.text += chunk))
    stream.on('close', () => (this.isOver = true))
  }

  get events(): { id: string; event: SiteEvent }[] {
    return [...this.text.matchAll(/^id: (\d+)\ndata: (.*)$/gm)].map(([, id = '', data = '']) => ({
      id,
      event: JSON.parse(data) as SiteEvent,
    }))
  }

  get actions(): string[] {
    return this.events.map(({ event }) => event.action)
  }
}

async function listen(ring: Events, more: Partial<Subscriber> = {}): Promise<Heard> {
  const role: Role = more.role ?? 'admin'
  const roleNow = () => Promise.resolve(role)
  const subscriber = { connection: 'key', userId: 'ada', role, lastEventId: undefined, roleNow, ...more }
  const stream = await ring.subscribe(subscriber)
  assert.ok(stream !== undefined)
  return new Heard(stream)
}

const site = (action: string) => ({ type: 'site', action, id: '1', details: { host: 'example.org' } }) as const
const receives = (heard: Heard, count: number) =>
  eventually(
    () => heard.actions,
    (actions) => actions.length >= count,
  )

test('events have ascending ids and reach all subscribers', async () => {
  const ring = createEvents(systemTimers)
  const listeners = [await listen(ring), await listen(ring)]
  for (const action of ['created', 'updated', 'deleted']) ring.publish(site(action))
  for (const heard of listeners) {
    assert.deepEqual(await receives(heard, 3), ['created', 'updated', 'deleted'])
    const ids = heard.events.map(({ id }) => Number(id))
    assert.deepEqual(ids, [ids[0]!, ids[0]! + 1, ids[0]! + 2])
  }
  ring.close()
  await eventually(() => listeners.every(({ isOver }) => isOver), Boolean)
  assert.equal(ring.listeners, 0)
})

test('a reconnecting client gets what it missed, or a reset if that is too much or from another run', async () => {
  const ring = createEvents(systemTimers, { remembered: 5 })
  const first = await listen(ring)
  for (let index = 1; index <= 8; index += 1) ring.publish(site(`change ${index}`))
  await receives(first, 8)
  const idOf = (action: string) => first.events.find(({ event }) => event.action === action)?.id
  const from = (lastEventId: string | undefined) => listen(ring, { lastEventId })
  assert.deepEqual(await receives(await from(idOf('change 6')), 2), ['change 7', 'change 8'])
  assert.deepEqual(
    await receives(await from(idOf('change 3')), 5),
    [4, 5, 6, 7, 8].map((index) => `change ${index}`),
  )
  const upToDate = await from(idOf('change 8'))
  ring.publish(site('change 9'))
  assert.deepEqual(await receives(upToDate, 1), ['change 9'])
  for (const lost of [idOf('change 1'), '1', 'nonsense', String(Number.MAX_SAFE_INTEGER)]) {
    const heard = await from(lost)
    await receives(heard, 1)
    assert.deepEqual(
      heard.events.map(({ event }) => event.type),
      ['reset'],
    )
  }
  ring.close()
})

test('ids of an earlier run are never mistaken for ids of this one', async () => {
  const timers = createFastTimers(1)
  const earlier = createEvents(timers)
  const before = await listen(earlier)
  earlier.publish(site('created'))
  await receives(before, 1)
  earlier.close()
  timers.jump(1000)
  const ring = createEvents(timers)
  ring.publish(site('updated'))
  const after = await listen(ring, { lastEventId: before.events[0]?.id })
  ring.publish(site('deleted'))
  assert.deepEqual(await receives(after, 2), ['missed_events', 'deleted'])
  assert.ok(Number(after.events[1]?.id) > Number(before.events[0]?.id))
  ring.close()
})

test('the number of streams is limited in total and per session', async () => {
  const ring = createEvents(systemTimers, { maxStreams: 5, maxPerOwner: 2 })
  const open = (connection: string) =>
    ring.subscribe({
      connection,
      userId: 'ada',
      role: 'admin',
      lastEventId: undefined,
      roleNow: () => Promise.resolve('admin' as const),
    })
  const opened = await Promise.all(['a', 'a', 'a', 'b', 'b', 'c', 'd'].map(open))
  assert.deepEqual(
    opened.map((stream) => stream !== undefined),
    [true, true, false, true, true, true, false],
  )
  opened[0]?.destroy()
  ring.close()
})

test('a client that does not read is disconnected, and no other', async () => {
  const ring = createEvents(systemTimers, { maxQueued: { messages: 8 } })
  const stuck = await ring.subscribe({
    connection: 'stuck',
    userId: 'eve',
    role: 'admin',
    lastEventId: undefined,
    roleNow: () => Promise.resolve('admin' as const),
  })
  const reading = await listen(ring)
  const details = { padding: 'x'.repeat(4000) }
  for (let index = 0; index < 40; index += 1) {
    ring.publish({ type: 'traffic', action: 'tick', id: null, details })
    await receives(reading, index + 1)
  }
  assert.equal(stuck?.destroyed, true)
  assert.equal(reading.isOver, false)
  ring.close()
})

test('a heartbeat comments on idle streams and ends those whose session or role is gone', async () => {
  const ring = createEvents(createFastTimers(500))
  let role: Role | undefined = 'admin'
  const kept = await listen(ring, { connection: 'kept' })
  const ended = await listen(ring, { connection: 'ended', roleNow: () => Promise.resolve(role) })
  const failing = await listen(ring, { connection: 'failing', roleNow: () => Promise.reject(new Error('no database')) })
  await eventually(
    () => ended.text,
    (text) => text.includes(': keep-alive\n\n'),
  )
  role = 'user'
  await eventually(
    () => [ended.isOver, failing.isOver],
    (over) => over.every(Boolean),
  )
  // Longer than a minute of the stream's time.
  await eventually(
    () => kept.text.match(/: keep-alive/g)?.length ?? 0,
    (count) => count >= 4,
  )
  assert.equal(kept.isOver, false)
  ring.close()
})

test('a user learns that sites change but no details, and nothing about settings', async () => {
  const ring = createEvents(systemTimers)
  const user = await listen(ring, { role: 'user' })
  ring.publish(site('created'))
  ring.publish({ type: 'settings', action: 'updated', id: null, details: { changed: ['acme_email'] } })
  ring.publish({ type: 'drift', action: 'found', id: null })
  ring.publish({ type: 'grade', action: 'graded', id: 'a', details: { grade: 'A' } })
  await receives(user, 2)
  assert.deepEqual(
    user.events.map(({ event }) => [event.type, event.details]),
    [
      ['site', {}],
      ['grade', { grade: 'A' }],
    ],
  )
  // Who comes back is told no more than before.
  const again = await listen(ring, { role: 'user', lastEventId: user.events[0]?.id })
  assert.deepEqual(await receives(again, 1), ['graded'])
  ring.close()
})

test('an event over 8 KiB is sent without its details', async () => {
  const ring = createEvents(systemTimers)
  const heard = await listen(ring)
  ring.publish({ type: 'apply', action: 'failed', id: null, details: { text: 'x'.repeat(9000) } })
  await receives(heard, 1)
  assert.deepEqual(heard.events[0]?.event.details, { truncated: true })
  ring.close()
})
