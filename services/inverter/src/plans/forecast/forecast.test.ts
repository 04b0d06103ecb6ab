import assert from 'node:assert/strict'
import { test } from 'node:test'
import { quarterMeans, withoutGaps } from '../quarters/quarters.ts'
import { forecastSolar } from './forecast-solar.ts'
import { openMeteo } from './open-meteo.ts'
import { sumOfPlanes } from './sum-of-planes.ts'

const plane = { tilt: 35, azimuth: -10, peak_w: 8000 }
const place = { latitude: 52.5, longitude: 13.4 }
const noon = Date.parse('2026-11-27T11:00Z')

test('Open-Meteo: a value belongs to the quarter hour before its time, and what is missing stays missing', () => {
  const text = JSON.stringify({
    utc_offset_seconds: 0,
    minutely_15_units: { time: 'unixtime', global_tilted_irradiance: 'W/m²' },
    minutely_15: { time: [noon / 1000, noon / 1000 + 900], global_tilted_irradiance: [500, null] },
  })
  assert.deepEqual(openMeteo.parse(text, plane), [{ from: noon - 900_000, until: noon, value: 3400 }])
  assert.match(openMeteo.url(place, plane), /latitude=52.5&longitude=13.4&tilt=35&azimuth=-10/)
  const refused = JSON.stringify({ error: true, reason: 'Daily API request limit exceeded.' })
  assert.throws(() => openMeteo.parse(refused, plane), /Open-Meteo says: Daily API request limit/)
})

test('Forecast.Solar: the power goes in a straight line between its hours, and the night has none', () => {
  const result = {
    '2026-11-27T15:00:00+00:00': 400,
    '2026-11-27T15:10:00+00:00': 0,
    '2026-11-28T07:00:00+00:00': 0,
    '2026-11-28T08:00:00+00:00': 800,
  }
  const stretches = forecastSolar.parse(
    JSON.stringify({ result, message: { code: 0, type: 'success', text: '' } }),
    plane,
  )
  const at = (text: string) => quarterMeans(stretches, Date.parse(text), 1)[0]
  assert.equal(at('2026-11-27T23:00Z'), 0)
  assert.equal(at('2026-11-28T07:00Z'), 100)
  assert.equal(at('2026-11-28T07:45Z'), 700)
  assert.equal(at('2026-11-28T09:00Z'), undefined)
  const refused = JSON.stringify({
    result: null,
    message: { code: 429, type: 'error', text: 'Rate limit for API calls reached.' },
  })
  assert.throws(() => forecastSolar.parse(refused, plane), /Forecast.Solar says: Rate limit/)
})

test('Forecast.Solar: it answers from sunrise to sunset alone, and the nights before, between and after are dark', () => {
  const result = {
    '2026-11-27T07:00:00+00:00': 17,
    '2026-11-27T08:00:00+00:00': 800,
    '2026-11-27T11:00:00+00:00': 2000,
    '2026-11-27T13:00:00+00:00': 900,
    '2026-11-27T15:00:00+00:00': 17,
    '2026-11-28T07:00:00+00:00': 0,
    '2026-11-28T08:00:00+00:00': 800,
    '2026-11-28T10:00:00+00:00': 600,
    '2026-11-28T13:00:00+00:00': 900,
    '2026-11-28T15:00:00+00:00': 0,
  }
  const stretches = forecastSolar.parse(JSON.stringify({ result }), plane)
  const at = (text: string) => quarterMeans(stretches, Date.parse(text), 1)[0]
  assert.equal(at('2026-11-27T00:30Z'), 0)
  assert.equal(at('2026-11-27T06:45Z'), 0)
  assert.equal(at('2026-11-26T06:45Z'), undefined)
  assert.equal(at('2026-11-28T03:00Z'), 0)
  assert.equal(at('2026-11-28T23:45Z'), 0)
  assert.equal(at('2026-11-29T07:00Z'), undefined)
  assert.ok(stretches.every(({ from }, index) => index === 0 || from === stretches[index - 1]?.until))
})

test('Forecast.Solar: an answer that begins in the day is not dark before, and one that ends in it has no night', () => {
  const result = { '2026-11-27T11:00:00+00:00': 800, '2026-11-27T12:00:00+00:00': 600 }
  const stretches = forecastSolar.parse(JSON.stringify({ result }), plane)
  const at = (text: string) => quarterMeans(stretches, Date.parse(text), 1)[0]
  assert.equal(at('2026-11-27T10:15Z'), 800)
  assert.equal(at('2026-11-27T09:30Z'), undefined)
  assert.equal(at('2026-11-27T12:00Z'), undefined)
})

test('panels of several directions are summed, however the stretches of each are cut', () => {
  const east = [
    { from: noon, until: noon + 3_600_000, value: 0 },
    { from: noon + 3_600_000, until: noon + 7_200_000, value: 100 },
  ]
  const west = [
    { from: noon, until: noon + 900_000, value: 50 },
    { from: noon + 900_000, until: noon + 4_500_000, value: 60 },
  ]
  assert.deepEqual(quarterMeans(sumOfPlanes([east, west]), noon, 6), [50, 60, 60, 60, 160, undefined])
  assert.deepEqual(sumOfPlanes([east]), east)
})

test('quarter hours are means of what covers them, and gaps close only between known values', () => {
  const stretches = [
    { from: noon, until: noon + 600_000, value: 90 },
    { from: noon + 600_000, until: noon + 1_800_000, value: 30 },
  ]
  assert.deepEqual(quarterMeans(stretches, noon, 3), [70, 30, undefined])
  assert.deepEqual(withoutGaps([undefined, 1, undefined, 3, undefined], 4), [undefined, 1, 2, 3, undefined])
  assert.deepEqual(withoutGaps([1, undefined, undefined, 4], 1), [1, undefined, undefined, 4])
})
