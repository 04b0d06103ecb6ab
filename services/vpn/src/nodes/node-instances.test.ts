import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NodeInstances } from './node-instances.ts'

const report = (instances: NodeInstances, instance: string, address: string, now: number) =>
  instances.seen('berlin', { instance, address, now })

test('two hosts that report by turns are noticed, and are over five minutes after the last turn', () => {
  const instances = new NodeInstances()
  assert.equal(report(instances, 'one', '192.0.2.1', 0), false)
  assert.equal(report(instances, 'two', '192.0.2.2', 15_000), false, 'it may have been started again')
  assert.equal(instances.duplicatesOf('berlin', 15_000), null)
  assert.equal(report(instances, 'one', '192.0.2.1', 30_000), true)
  assert.equal(report(instances, 'two', '192.0.2.2', 45_000), false, 'it is known')
  assert.deepEqual(
    instances.duplicatesOf('berlin', 45_000)?.toSorted((a, b) => a.localeCompare(b)),
    ['192.0.2.1', '192.0.2.2'],
  )
  assert.equal(instances.duplicatesOf('paris', 45_000), null)
  for (let now = 60_000; now < 400_000; now += 30_000) report(instances, 'two', '192.0.2.2', now)
  assert.equal(instances.duplicatesOf('berlin', 400_000), null)
})

test('a program that is started again and again, also at other addresses, is one host', () => {
  const instances = new NodeInstances()
  for (let turn = 0; turn < 30; turn += 1) {
    assert.equal(report(instances, `start ${turn}`, `192.0.2.${turn % 2}`, turn * 30_000), false)
    assert.equal(report(instances, `start ${turn}`, `192.0.2.${(turn + 1) % 2}`, turn * 30_000 + 9000), false)
  }
  assert.equal(instances.duplicatesOf('berlin', 900_000), null)
})
