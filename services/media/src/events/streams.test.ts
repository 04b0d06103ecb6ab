import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Readable } from 'node:stream'
import { eventually } from '@hearth/testing'
import { createLocalBus, type EventStreamOptions } from '@hearth/events'
import type { MediaEvent } from '../events.ts'
import { createEventStreams, type Subscriber } from './streams.ts'

const jobEvent = (id: string, message = 'x'): MediaEvent => ({
  id,
  status: 'downloading',
  message,
  timestamp: '2026-11-21T12:00:00.000Z',
})

function open(limits: EventStreamOptions<MediaEvent> = {}) {
  const bus = createLocalBus<MediaEvent>(100)
  const streams = createEventStreams(bus, limits)
  const subscribe = (more: Partial<Subscriber> = {}) =>
    streams.open({
      address: '192.0.2.1',
      snapshot: () => Promise.resolve({ type: 'snapshot', jobs: [] }),
      isAllowed: () => Promise.resolve(true),
      ...more,
    })
  return { bus, streams, subscribe }
}

/** Reads what comes, as messages with their ids. */
function listen(stream: Readable | undefined) {
  let text = ''
  let hasEnded = false
  stream?.setEncoding('utf8').on('data', (part: string) => (text += part))
  stream?.on('close', () => (hasEnded = true))
  return {
    messages: () =>
      [...text.matchAll(/(?:^id: (\d+)\n)?^data: (.*)$/gm)].map(([, id, data = '']) => ({
        id,
        data: JSON.parse(data) as Record<string, unknown>,
      })),
    text: () => text,
    hasEnded: () => hasEnded,
  }
}

test('a stream starts with a snapshot and continues with events', async () => {
  const { bus, streams, subscribe } = open()
  const heard = listen(await subscribe())
  bus.publish(jobEvent('a'))
  bus.publish({ type: 'job_added', job_id: 'b' })
  await eventually(heard.messages, (messages) => messages.length === 3)
  assert.deepEqual(
    heard.messages().map(({ id, data }) => [id, data['type'] ?? data['status'], data['seq']]),
    [
      ['100', 'snapshot', 100],
      ['101', 'downloading', 101],
      ['102', 'job_added', 102],
    ],
  )
  assert.match(heard.text(), /^retry: 2000\n/)
  assert.doesNotMatch(heard.text(), /^event:/m)
  streams.close()
  await eventually(heard.hasEnded, Boolean)
  assert.equal(heard.messages().at(-1)?.data['type'], 'shutdown')
})

test('a reconnecting client gets what it missed once, or a snapshot if that is no longer kept', async () => {
  const { bus, streams, subscribe } = open({ remembered: 3 })
  for (const id of ['a', 'b', 'c', 'd']) bus.publish(jobEvent(id))
  const ids = async (lastEventId: string) => {
    const heard = listen(await subscribe({ lastEventId }))
    await new Promise((resolve) => setImmediate(resolve))
    return heard.messages().map(({ data }) => data['id'] ?? data['type'])
  }
  assert.deepEqual(await ids('102'), ['c', 'd'])
  assert.deepEqual(await ids('104'), [])
  assert.deepEqual(await ids('101'), ['b', 'c', 'd'])
  assert.deepEqual(await ids('100'), ['snapshot'])
  assert.deepEqual(await ids('nonsense'), ['snapshot'])
  streams.close()
})

test('a stream that received only a snapshot cannot resume after a restart', async () => {
  const before = open()
  const heard = listen(await before.subscribe())
  const [snapshot] = await eventually(heard.messages, (messages) => messages.length === 1)
  before.streams.close()
  const restarted = createEventStreams(createLocalBus<MediaEvent>(200))
  const again = listen(
    await restarted.open({
      address: '192.0.2.1',
      lastEventId: snapshot?.id,
      snapshot: () => Promise.resolve({ type: 'snapshot', jobs: [] }),
      isAllowed: () => Promise.resolve(true),
    }),
  )
  await eventually(again.messages, (messages) => messages[0]?.data['type'] === 'snapshot')
  restarted.close()
})

test('the stream of a job carries that job and what concerns all', async () => {
  const { bus, streams, subscribe } = open()
  const heard = listen(await subscribe({ jobId: 'a' }))
  bus.publish(jobEvent('b'))
  bus.publish(jobEvent('a'))
  bus.publish({ type: 'stem_progress', job_id: 'b', stage: 'upload', progress: 1, message: null })
  bus.publish({ type: 'stem_progress', job_id: 'a', stage: 'upload', progress: 1, message: null })
  bus.publish({ type: 'jobs_cleared', job_id: null })
  await eventually(heard.messages, (messages) => messages.length === 4)
  assert.deepEqual(
    heard.messages().map(({ data }) => data['type'] ?? data['id']),
    ['snapshot', 'a', 'stem_progress', 'jobs_cleared'],
  )
  streams.close()
})

test('a client that does not read is reset and disconnected; others miss nothing', async () => {
  const { bus, streams, subscribe } = open()
  const stalled = await subscribe({ address: '192.0.2.9' })
  const heard = listen(await subscribe())
  for (let index = 0; index < 2000; index++) {
    bus.publish(jobEvent(`${index}`, 'x'.repeat(200)))
    if (index % 20 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  await eventually(heard.messages, (messages) => messages.length === 2001)
  const late = listen(stalled)
  await eventually(late.hasEnded, Boolean)
  assert.equal(late.messages().at(-1)?.data['type'], 'resync_required')
  assert.ok(late.messages().length < 200)
  assert.equal(streams.count, 1)
  streams.close()
})

test('streams are limited in total and per client, and a closed one frees its slot', async () => {
  const { streams, subscribe } = open({ maxStreams: 4, maxPerOwner: 2 })
  const first = await subscribe()
  assert.ok(first !== undefined && (await subscribe()) !== undefined)
  assert.equal(await subscribe(), undefined)
  assert.ok((await subscribe({ address: '192.0.2.2' })) && (await subscribe({ address: '192.0.2.3' })))
  assert.equal(await subscribe({ address: '192.0.2.4' }), undefined)
  first.destroy()
  await eventually(
    () => streams.count,
    (count) => count === 3,
  )
  assert.ok(await subscribe({ address: '192.0.2.4' }))
  streams.close()
})

test('an idle stream sends heartbeats until its owner loses access', async () => {
  let isAllowed = true
  const { streams, subscribe } = open({ heartbeatMs: 20 })
  const heard = listen(await subscribe({ isAllowed: () => Promise.resolve(isAllowed) }))
  await eventually(heard.text, (text) => text.includes(': keepalive'))
  isAllowed = false
  await eventually(heard.hasEnded, Boolean)
  assert.equal(heard.messages().at(-1)?.data['type'], 'authentication_required')
  streams.close()
})
