import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EnergyBucket } from '../api.ts'
import { offsetOf, producedFor, usedFrom } from './history-charts.ts'
import { dateIn, isUpTo, periodText, stepDate } from './periods.ts'

const bucket = (values: Partial<EnergyBucket>) =>
  Object.assign(
    { load_wh: null, pv_wh: null, import_wh: null, export_wh: null, charge_wh: null, discharge_wh: null },
    values,
  ) as EnergyBucket

test('what was used and produced is divided without remainder, and what is not known stays unknown', () => {
  assert.deepEqual(usedFrom(bucket({ load_wh: 1000, import_wh: 200, discharge_wh: 300 })), {
    sun: 500,
    battery: 300,
    grid: 200,
  })
  assert.deepEqual(usedFrom(bucket({ load_wh: 100, import_wh: 3000, discharge_wh: 0 })), {
    sun: 0,
    battery: 0,
    grid: 100,
  })
  assert.deepEqual(usedFrom(bucket({ import_wh: 3000 })), { sun: null, battery: null, grid: null })
  assert.deepEqual(producedFor(bucket({ pv_wh: 900, export_wh: 400, charge_wh: 600 })), {
    house: 0,
    battery: 500,
    grid: 400,
  })
})

test('a step goes to the neighbour of a period, at the ends of months too', () => {
  assert.equal(stepDate('2027-03-01', 'day', -1), '2027-02-28')
  assert.equal(stepDate('2027-03-31', 'month', -1), '2027-02-01')
  assert.equal(stepDate('2028-02-29', 'year', 1), '2029-01-01')
  assert.equal(isUpTo('2027-03-31', '2027-03-02', 'month'), true)
  assert.equal(isUpTo('2027-04-01', '2027-03-31', 'month'), false)
  assert.equal(periodText('2027-03-01', 'month', 'en-GB'), 'March 2027')
})

test('dates are those of the time zone of the history', () => {
  const late = new Date('2027-06-30T23:30:00Z')
  assert.deepEqual([dateIn('UTC', late), dateIn('Europe/Berlin', late)], ['2027-06-30', '2027-07-01'])
  assert.deepEqual(
    ['UTC', 'Europe/Berlin', 'America/St_Johns'].map((zone) => offsetOf(zone, late) / 60_000),
    [0, 120, -150],
  )
})
