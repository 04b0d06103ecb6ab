import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problemAtField, profileValues, toProfile } from './profile-values.ts'

const values = {
  ...profileValues(undefined),
  name: ' Kids ',
  blocked: 'a.example\n*.b.example, c.example',
  allowed: 'd.example',
  safe_search: true,
  youtube: 'strict' as const,
  self_pause_minutes: 15,
  when: 'times' as const,
  times: [{ days: ['mon' as const], from: '08:00', to: '00:00' }],
}

test('the request is what the form says; midnight is the end of the day', () => {
  assert.deepEqual(toProfile(values), {
    name: 'Kids',
    lists: null,
    rules: [
      { action: 'block', domain: 'a.example' },
      { action: 'block', domain: '*.b.example' },
      { action: 'block', domain: 'c.example' },
      { action: 'allow', domain: 'd.example' },
    ],
    services: [],
    safe_search: true,
    youtube: 'strict',
    self_pause_minutes: 15,
    block_mode: null,
    schedule: { time_zone: null, times: [{ days: ['mon'], from: '08:00', to: '24:00' }], otherwise: null },
    peer_ids: [],
    group_ids: [],
    interfaces: [],
  })
  assert.equal(toProfile({ ...values, when: 'always' }).schedule, null)
  assert.equal(toProfile({ ...values, youtube: '' }).youtube, null, 'an empty choice leaves YouTube as it is')
})

test('the form of a profile says what it is', () => {
  const { schedule, ...rest } = toProfile(values)
  const profile = {
    ...rest,
    id: '1',
    schedule,
    peers: [{ id: 'p', name: 'Phone' }],
    groups: [{ id: 'g', name: 'Group' }],
    peer_count: 1,
    state: { holds: null, paused_until: null, next: null },
    created_at: '',
    created_by: null,
  }
  assert.deepEqual(toProfile(profileValues(profile)), {
    ...toProfile(values),
    peer_ids: ['p'],
    group_ids: ['g'],
  })
})

test('problems stand at the field that they are about', () => {
  const at = (path: string) => {
    const { path: field, message } = problemAtField({ path, code: '', message: 'must be a name' }, values)
    return [field, message]
  }
  assert.deepEqual(at('rules.1.domain'), ['blocked', '“*.b.example” must be a name'])
  assert.deepEqual(at('rules.3.domain'), ['allowed', '“d.example” must be a name'])
  assert.deepEqual(at('schedule.time_zone'), ['time_zone', 'must be a name'])
  assert.deepEqual(at('schedule.times.0.to'), ['times.0.to', 'must be a name'])
  assert.deepEqual(at('peer_ids.4'), ['peer_ids.4', 'must be a name'])
})
