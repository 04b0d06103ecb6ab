import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BrokerConnection, OutgoingMessage } from './broker-connection.ts'
import { Outbox } from './outbox.ts'

const message = (topic: string, payload: string): OutgoingMessage => ({ topic, payload, isRetained: true, qos: 0 })

/** A connection that takes a message when the test lets it. */
function slowConnection() {
  const taken: string[] = []
  let step = Promise.withResolvers<void>()
  const publish = async ({ topic, payload }: OutgoingMessage) => {
    await step.promise
    taken.push(`${topic} ${payload}`)
  }
  return {
    connection: { publish } as unknown as BrokerConnection,
    taken,
    /** Lets one message go, and waits until what follows from it has been done. */
    take: async (failure?: Error) => {
      const { resolve, reject } = step
      step = Promise.withResolvers<void>()
      if (failure === undefined) resolve()
      else reject(failure)
      await new Promise((done) => {
        setImmediate(done)
      })
    },
  }
}

test('while the broker is slow, the newest message of each topic waits', async () => {
  const outbox = new Outbox()
  const { connection, taken, take } = slowConnection()
  outbox.put(message('a', '1'))
  const draining = outbox.drainInto(connection)
  for (let number = 1; number <= 1000; number += 1) outbox.put(message('b', String(number)))
  assert.equal(outbox.size, 1)
  await take()
  await take()
  assert.deepEqual(taken, ['a 1', 'b 1000'])
  assert.equal(outbox.sent, 2)
  outbox.pause()
  await draining
})

test('a message that did not get through goes out on the next connection, unless there is a newer one', async () => {
  const outbox = new Outbox()
  const first = slowConnection()
  outbox.put(message('a', 'old'))
  outbox.put(message('b', 'kept'))
  const draining = outbox.drainInto(first.connection)
  outbox.put(message('a', 'new'))
  await first.take(new Error('the connection was cut'))
  await draining
  const second = slowConnection()
  const again = outbox.drainInto(second.connection)
  await second.take()
  await second.take()
  assert.deepEqual(second.taken.toSorted(), ['a new', 'b kept'])
  outbox.pause()
  await again
})

test('without a broker the outbox is bounded, and loses the oldest', () => {
  const outbox = new Outbox()
  for (let number = 0; number < 20_000; number += 1) outbox.put(message(`topic ${number}`, 'x'))
  assert.equal(outbox.size, 8192)
})
