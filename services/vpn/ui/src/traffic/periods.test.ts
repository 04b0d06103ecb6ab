import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bucketText, periodNamed, toTrafficQuery } from './periods.ts'
import { formatDay, formatTime } from '@hearth/ui/format-time'

test('a period ends now and begins the given hours earlier', () => {
  const now = new Date('2026-11-21T12:00:00Z')
  assert.deepEqual(toTrafficQuery(periodNamed('week'), now), {
    start: '2026-11-14T12:00:00.000Z',
    resolution: 'hourly',
  })
  assert.equal(periodNamed('odd').name, 'day')
})

const day = (date: string) => formatDay(new Date(date), { weekday: 'short', timeZone: 'UTC' })

test('days and weeks are in UTC, as the service counts them', () => {
  assert.equal(bucketText('2026-11-21T00:00:00Z', 'daily'), day('2026-11-21'))
  assert.equal(bucketText('2026-11-16T00:00:00Z', 'weekly'), `Week from ${day('2026-11-16')}`)
  assert.equal(
    bucketText(new Date(2026, 10, 21, 9).toISOString(), 'hourly'),
    `${day('2026-11-21')} ${formatTime(new Date(2026, 10, 21, 9))}`,
  )
})
