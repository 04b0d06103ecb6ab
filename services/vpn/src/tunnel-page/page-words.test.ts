import assert from 'node:assert/strict'
import { test } from 'node:test'
import { html } from './markup.ts'
import { agoText, bytesText, dateText, durationText, leftText } from './page-words.ts'

test('amounts and times are said in words', () => {
  assert.deepEqual([0, 999, 1000, 9999, 999_400, 999_600, 5e9, 1.5e15].map(bytesText), [
    '0 bytes',
    '999 bytes',
    '1.0 kB',
    '10.0 kB',
    '999 kB',
    '1.0 MB',
    '5.0 GB',
    '1.5 PB',
  ])
  const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]
  assert.deepEqual([0, minute, 59 * minute, hour, 2 * hour + minute, day + hour, 12 * day + hour].map(durationText), [
    'less than a minute',
    '1 minute',
    '59 minutes',
    '1 hour',
    '2 hours 1 minute',
    '1 day 1 hour',
    '12 days',
  ])
  assert.equal(agoText(10 * minute, 5 * minute), 'less than a minute ago', 'a clock may be set back')
  assert.deepEqual(
    [leftText(1, 0), leftText(5 * minute, 0), leftText(0, 5)],
    ['1 minute', '5 minutes', 'less than a minute'],
  )
  const now = Date.parse('2026-11-27T10:00:00Z')
  assert.deepEqual(
    ['2026-11-30T10:00:00Z', '2027-06-01T00:00:00Z'].map((at) => dateText(Date.parse(at), now)),
    ['2026-11-30, in 3 days', '2027-06-01'],
  )
})

test('what is put into HTML stays text', () => {
  const text = `<b title='x'>"&`
  assert.equal(
    html`<p>${text}${html`<i>${1}</i>`}${[null, false, html`<u></u>`]}</p>`.text,
    '<p>&lt;b title=&#39;x&#39;&gt;&quot;&amp;<i>1</i><u></u></p>',
  )
})
