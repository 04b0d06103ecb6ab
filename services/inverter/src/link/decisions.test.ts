import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { Command } from '../protocol/command.ts'
import { classifyFrame, type Subject, ForeignAccess } from './arrivals.ts'
import { createBackOff } from './connector.ts'
import { createPace } from './pace.ts'
import { SendQueue, type Priority } from './send-queue.ts'

const item = (priority: Priority, number: number) => ({ priority, number })

test('a queue orders requests by priority, then by arrival', () => {
  const queue = new SendQueue<ReturnType<typeof item>>(10)
  for (const [number, priority] of (['background', 'normal', 'control', 'normal', 'control'] as const).entries())
    assert.equal(queue.add(item(priority, number)), undefined)
  assert.deepEqual(
    Array.from({ length: 6 }, () => queue.next()?.number),
    [2, 4, 1, 3, 0, undefined],
  )
})

test('a full queue rejects the newest request of the lowest priority, which may be the incoming one', () => {
  const queue = new SendQueue<ReturnType<typeof item>>(2)
  queue.add(item('normal', 1))
  queue.add(item('normal', 2))
  assert.equal(queue.add(item('background', 3))?.number, 3)
  assert.equal(queue.add(item('normal', 4))?.number, 4)
  assert.equal(queue.add(item('control', 5))?.number, 2)
  assert.deepEqual([queue.next()?.number, queue.next()?.number, queue.length], [5, 1, 0])
})

test('queued items can be removed', () => {
  const queue = new SendQueue<ReturnType<typeof item>>(9)
  const items = [item('normal', 1), item('control', 2), item('background', 3), item('normal', 4)]
  for (const each of items) queue.add(each)
  queue.remove(items[0]!)
  queue.remove(items[0]!)
  assert.deepEqual(
    queue.takeAll(({ priority }) => priority !== 'control').map(({ number }) => number),
    [4, 3],
  )
  assert.deepEqual([queue.length, queue.next()?.number], [1, 2])
})

test('a queue never exceeds its limit and returns every item it drops', () => {
  const priorities = fc.array(fc.constantFrom<Priority[]>('control', 'normal', 'background'), { maxLength: 100 })
  fc.assert(
    fc.property(priorities, (all) => {
      const queue = new SendQueue<ReturnType<typeof item>>(32)
      const out: number[] = []
      for (const [number, priority] of all.entries()) {
        const refused = queue.add(item(priority, number))
        if (refused !== undefined) out.push(refused.number)
        assert.ok(queue.length <= 32)
      }
      while (queue.length > 0) out.push(queue.next()?.number ?? -1)
      assert.deepEqual(
        out.toSorted((a, b) => a - b),
        [...all.keys()],
      )
    }),
  )
})

test('delays double up to the maximum, and reset after a success', () => {
  const backOff = createBackOff([1000, 60_000])
  const waits = () => Array.from({ length: 9 }, () => backOff.failed() / 1000)
  assert.deepEqual(waits(), [1, 2, 4, 8, 16, 32, 60, 60, 60])
  backOff.succeeded()
  assert.deepEqual(waits().slice(0, 2), [1, 2])
})

test('the pause grows with timeouts up to one second and shrinks after consecutive successes', () => {
  const pace = createPace(80)
  const widths = Array.from({ length: 5 }, () => {
    pace.timedOut()
    return pace.gap
  })
  assert.deepEqual(widths, [160, 320, 640, 1000, 1000])
  for (let count = 0; count < 40; count += 1) pace.succeeded()
  assert.equal(pace.gap, 80)
  const still = createPace(0)
  still.timedOut()
  assert.equal(still.gap, 50)
  const slow = createPace(3000)
  slow.timedOut()
  assert.equal(slow.gap, 3000)
})

test('foreign access is suspected from the tenth unexpected frame within a minute until that minute has passed', () => {
  const foreign = new ForeignAccess()
  for (let second = 0; second < 9; second += 1) foreign.note(second * 1000, true)
  assert.equal(foreign.isSuspected(9000), false)
  foreign.note(9000, true)
  assert.equal(foreign.isSuspected(9000), true)
  assert.equal(foreign.isSuspected(60_000), true)
  assert.equal(foreign.isSuspected(60_001), false)
})

test('only more than fifty unsolicited request frames a minute trigger a new connection', () => {
  const foreign = new ForeignAccess()
  for (let count = 0; count < 500; count += 1) foreign.note(count, true)
  assert.equal(foreign.isExcessive(500), false)
  for (let count = 0; count < 50; count += 1) foreign.note(1000, false)
  assert.equal(foreign.isExcessive(1000), false)
  foreign.note(1000, false)
  assert.equal(foreign.isExcessive(1000), true)
  assert.equal(foreign.isExcessive(61_001), false)
  foreign.forgetRequests()
  assert.equal(foreign.isExcessive(1000), false)
  assert.equal(foreign.isSuspected(1000), true)
})

const frame = (command: Command, objectId: number, address?: number) => ({
  command,
  objectId,
  address,
  payload: new Uint8Array(0),
})

const expecting = (expected: Subject | undefined) => ({
  expected,
  written: { objectId: 9, address: undefined },
  isRegistered: ({ objectId }: Subject) => objectId === 5,
})

test('only a response with the requested object and device counts as the answer', () => {
  const plain = expecting({ objectId: 1, address: undefined })
  assert.equal(classifyFrame(frame('response', 1), plain), 'answer')
  assert.equal(classifyFrame(frame('long-response', 1), plain), 'answer')
  assert.equal(classifyFrame(frame('response', 2), plain), 'unexpected')
  assert.equal(classifyFrame(frame('response', 1, 7), plain), 'unexpected')
  for (const command of ['read', 'write', 'long-write', 'read-periodically'] as const)
    assert.equal(classifyFrame(frame(command, 1), plain), 'unexpected')
  const plant = expecting({ objectId: 1, address: 7 })
  assert.equal(classifyFrame(frame('response', 1, 7), plant), 'answer')
  assert.equal(classifyFrame(frame('response', 1, 8), plant), 'unexpected')
  assert.equal(classifyFrame(frame('response', 1), plant), 'unexpected')
})

test('registered objects and confirmations of recent writes count as expected frames', () => {
  assert.equal(classifyFrame(frame('response', 5), expecting(undefined)), 'registered')
  assert.equal(classifyFrame(frame('response', 5), expecting({ objectId: 5, address: undefined })), 'answer')
  assert.equal(classifyFrame(frame('read', 5), expecting(undefined)), 'unexpected')
  assert.equal(classifyFrame(frame('response', 9), expecting(undefined)), 'confirmation')
  assert.equal(classifyFrame(frame('response', 9, 7), expecting(undefined)), 'unexpected')
})
