import assert from 'node:assert/strict'
import { test } from 'node:test'
import { daysText, stateText, timeTexts } from './profile-words.ts'

test('days are told in few words', () => {
  assert.equal(daysText(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']), 'Every day')
  assert.equal(daysText(['mon', 'tue', 'wed', 'thu', 'fri']), 'Mon to Fri')
  assert.equal(daysText(['sat', 'sun']), 'Sat, Sun')
  assert.equal(daysText(['mon', 'tue', 'wed', 'sun']), 'Mon to Wed, Sun')
})

test('a schedule is a line for each time', () => {
  const times = [
    { days: ['mon' as const], from: '20:00', to: '06:00' },
    { days: ['sun' as const], from: '00:00', to: '24:00' },
  ]
  assert.deepEqual(timeTexts({ time_zone: null, times, otherwise: null }), ['Mon, 20:00 to 06:00', 'Sun, all day'])
})

test('what holds and what comes next is a sentence', () => {
  const kids = { id: '1', name: 'Kids' }
  const next = { at: '2026-11-27T20:00', profile: null }
  const quiet = { paused_until: null, next: null }
  assert.equal(stateText({ holds: kids, ...quiet }, 'Kids', 'en-GB'), 'Holds now')
  assert.equal(
    stateText({ holds: kids, paused_until: null, next }, 'Kids', 'en-GB'),
    'Holds now; from Fri 27 Nov, 20:00 the settings for all devices',
  )
  assert.equal(
    stateText({ holds: null, paused_until: null, next: { ...next, profile: kids } }, 'Kids', 'en-GB'),
    'Now the settings for all devices; from Fri 27 Nov, 20:00 this profile',
  )
  assert.equal(
    stateText({ holds: kids, paused_until: '2026-11-27T21:30', next: null }, 'School', 'en-GB'),
    'Now Kids, paused until Fri 27 Nov, 21:30',
  )
})
