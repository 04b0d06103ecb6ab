import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StorageForecast } from '../api.ts'
import { forecastText } from './forecast-text.ts'

const gibibyte = 1024 ** 3

const forecast = (more: Partial<StorageForecast>): StorageForecast => ({
  bytes: 420 * 1024 ** 2,
  budget_bytes: 20 * gibibyte,
  free_bytes: 1.2 * gibibyte,
  fits: true,
  copies_leaving: 0,
  downloads_leaving: 0,
  ...more,
})

test('a forecast says what a download takes, what is free, and what would go', () => {
  assert.equal(forecastText(forecast({})), 'About 420 MiB; 1.2 GiB free of 20 GiB')
  assert.equal(
    forecastText(forecast({ copies_leaving: 1, downloads_leaving: 3 })),
    'About 420 MiB; 1.2 GiB free of 20 GiB; 1 conversion or wave and 3 downloads would go',
  )
  assert.equal(
    forecastText(forecast({ fits: false, free_bytes: 0 })),
    'About 420 MiB; 0 B free of 20 GiB; it does not fit, even when everything goes that may',
  )
  assert.equal(forecastText(forecast({ budget_bytes: 0 })), 'About 420 MiB')
  assert.equal(
    forecastText(forecast({ budget_bytes: 0, fits: false })),
    'About 420 MiB; 1.2 GiB free; it does not fit, even when everything goes that may',
  )
  assert.equal(forecastText(forecast({ bytes: null })), '')
})
