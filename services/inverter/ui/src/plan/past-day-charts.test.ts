import assert from 'node:assert/strict'
import { test } from 'node:test'
import { savedText, totalSaved } from './past-day-charts.ts'

const day = { cost: 1.2, cost_without: 2, currency: 'EUR' }

test('what days saved is said in words, and a loss as a loss', () => {
  assert.equal(savedText(day), '0.80 EUR saved')
  assert.equal(savedText({ ...day, cost: 2.3 }), '0.30 EUR more')
  assert.equal(savedText({ ...day, cost: 2 }), 'as without a plan')
  assert.equal(totalSaved([day, { ...day, cost: 2.3 }]), '0.50 EUR saved on 2 days')
  assert.equal(totalSaved([day, { ...day, currency: 'SEK' }]), undefined)
  assert.equal(totalSaved([]), undefined)
})
