import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ServerView } from '../../dns/lookups.ts'
import { judgeSpread } from './spreading.ts'

const challenge = { authorization: 'a', url: 'u', domain: 'example.org', value: 'v' }
const minute = 60_000

function judge(views: readonly ServerView[], waited: number) {
  const lookups = {
    follow: (name: string) => Promise.resolve(name),
    authorities: () => Promise.resolve([...views]),
    zoneOf: () => Promise.resolve('example.org'),
  }
  const progress = { step: 'spread', order: 'o', finalize: 'f', challenges: [challenge], since: 0 } as const
  return judgeSpread({ lookups, now: waited }, progress)
}

const at = (server: string, state: ServerView['state']): ServerView => ({ server, state })

test('all servers have to show the record; a silent one is waited for five minutes', async () => {
  const shown = await judge([at('ns1', 'shown'), at('ns2', 'shown')], 0)
  assert.deepEqual([shown.kind, shown.kind === 'next' && shown.progress.step], ['next', 'validate'])
  const missing = await judge([at('ns1', 'shown'), at('ns2', 'missing')], 30 * minute)
  assert.deepEqual(
    [missing.kind, 'text' in missing && missing.text],
    ['wait', 'Waiting for DNS to spread: not yet visible at ns2'],
  )
  assert.equal((await judge([at('ns1', 'shown'), at('ns2', 'silent')], minute)).kind, 'wait')
  assert.equal((await judge([at('ns1', 'shown'), at('ns2', 'silent')], 6 * minute)).kind, 'next')
  assert.equal((await judge([at('ns1', 'silent')], 6 * minute)).kind, 'wait')
})

test('after an hour it is a failure that names the servers', async () => {
  const late = await judge([at('ns1', 'shown'), at('ns2', 'missing'), at('ns3', 'silent')], 61 * minute)
  assert.ok(late.kind === 'failed')
  assert.deepEqual(late.failure, {
    code: 'dns-slow',
    text: 'After an hour not yet visible at ns2; no answer from ns3',
  })
})
