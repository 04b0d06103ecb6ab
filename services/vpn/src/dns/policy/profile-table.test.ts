import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientOf, policyOf, ruleOf } from '../../../test/dns-policies.ts'
import { explain } from './explain.ts'
import { type ProfileRecord, ProfileTable, profileClient } from './profile-table.ts'
import { Row } from './precedence.ts'

const record = (number: number, more: Partial<ProfileRecord> = {}): ProfileRecord => ({
  number,
  holds: number,
  isPaused: false,
  lists: null,
  blockMode: 0,
  safety: 0,
  ...more,
})

/** What a policy says to a client about a name, and by which row. */
function decide(profiles: readonly ProfileRecord[], domain: string, client = 1): [number, number] {
  const policy = policyOf({
    lists: [['||ads.example^'], ['||tracker.example^']],
    clients: [
      clientOf(1, { profile: 1, lists: ['list-0'] }),
      clientOf(2, { profile: 255 }),
      clientOf(3),
      clientOf(2 ** 31 - 1, { addresses: ['10.1.0.1'], profile: 1 }),
    ],
    profiles,
    rules: [
      ruleOf('block games.example', profileClient(1)),
      ruleOf('allow ads.example', profileClient(1)),
      ruleOf('block other.example', profileClient(255)),
      ruleOf('allow games.example'),
      ruleOf('allow own.games.example', 1),
    ],
  })
  const { verdict, row } = explain(policy, { domain, client, now: 0 })
  return [verdict.status, row]
}

test('rules of a profile stand between those for the client and those for everyone', () => {
  assert.deepEqual(decide([record(1)], 'games.example'), [1, Row.profileRule])
  assert.deepEqual(decide([record(1)], 'own.games.example'), [0, Row.clientRule])
  assert.deepEqual(decide([record(1)], 'games.example', 3), [0, Row.globalRule])
  assert.deepEqual(decide([record(1)], 'games.example', 2 ** 31 - 1), [1, Row.profileRule])
  assert.deepEqual(decide([record(1)], 'ads.example'), [0, Row.profileRule])
  assert.deepEqual(decide([record(255)], 'other.example', 2), [1, Row.profileRule])
})

test('the lists of the profile that holds stand in the place of those of the client', () => {
  assert.deepEqual(decide([record(1, { lists: ['list-1'] })], 'tracker.example'), [1, Row.block])
  assert.deepEqual(decide([record(1, { lists: ['list-0', 'gone'] })], 'tracker.example'), [0, Row.nothing])
  assert.deepEqual(decide([record(1)], 'tracker.example'), [1, Row.block])
})

test('a profile that does not hold changes nothing, and another one may hold in its place', () => {
  assert.deepEqual(decide([record(1, { holds: 0 })], 'games.example'), [0, Row.globalRule])
  assert.deepEqual(decide([record(1, { holds: 0 })], 'tracker.example'), [0, Row.nothing])
  assert.deepEqual(decide([], 'games.example'), [0, Row.globalRule])
  assert.deepEqual(decide([record(1, { holds: 255 })], 'other.example'), [1, Row.profileRule])
  assert.deepEqual(decide([record(1, { holds: 255 })], 'games.example'), [0, Row.globalRule])
})

test('a paused profile filters nothing', () => {
  assert.deepEqual(decide([record(1, { isPaused: true })], 'games.example'), [0, Row.off])
  assert.deepEqual(decide([record(1, { isPaused: true, holds: 0 })], 'ads.example'), [1, Row.block])
})

test('a table of profiles that is none is refused', () => {
  assert.throws(() => new ProfileTable(new SharedArrayBuffer(64)), /no table of profiles/)
  assert.throws(() => new ProfileTable(new SharedArrayBuffer(8192)), /no table of profiles/)
})
