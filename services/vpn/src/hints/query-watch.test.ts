import assert from 'node:assert/strict'
import { test } from 'node:test'
import { entryOf } from '../../test/query-log-fixture.ts'
import { Reason, Status } from '../dns/policy/verdict.ts'
import { QueryWatch } from './query-watch.ts'

const domainOf = (name: string) => name.split('.').slice(-2).join('.')
const blocked = entryOf({ name: 'ads.example', client: 1, status: Status.blocked, reason: Reason.list, source: 3 })

test('a kind that is switched off costs no text of a name, and what was seen of it is gone', async () => {
  let texts = 0
  const watch = new QueryWatch(
    () => `${(texts += 1).toString(16).padStart(48, '0')}.evil.example`,
    () => Promise.resolve(domainOf),
  )
  const note = (rounds: number) => {
    for (let round = 0; round < rounds; round += 1) {
      watch.note(entryOf({ name: `${'x'.repeat(48)}.evil.example`, client: 1 }), true)
      watch.note(blocked, true)
    }
    watch.settle(true)
  }
  note(1)
  assert.deepEqual(
    (await watch.report(0))?.blocked.map(({ list, count }) => [list, count]),
    [[3, 1]],
  )
  note(5)
  const before = texts
  watch.follow({ tunnels: false, blocked: false })
  note(5)
  assert.equal(texts, before)
  assert.equal(await watch.report(0), undefined)
  watch.follow({ tunnels: true, blocked: true })
  assert.equal(await watch.report(0), undefined, 'nothing of before is left')
  note(2)
  assert.deepEqual(
    (await watch.report(0))?.blocked.map(({ list, count }) => [list, count]),
    [[3, 2]],
  )
})
