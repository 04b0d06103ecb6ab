import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytesOf, estimateBytes } from './estimate-size.ts'
import { infoOf } from './media-info.ts'

const picture = (height: number, filesize: number, more: object = {}) => ({
  format_id: `${height}`,
  height,
  vcodec: 'vp9',
  acodec: 'none',
  filesize,
  ...more,
})
const sound = (abr: number, filesize: number | null, more: object = {}) => ({
  format_id: `a${abr}`,
  vcodec: 'none',
  acodec: 'opus',
  abr,
  filesize,
  ...more,
})

const info = infoOf(
  JSON.stringify({
    title: 'Night drive',
    duration: 100,
    formats: [
      sound(64, 800),
      sound(128, 1600),
      sound(160, null, { filesize_approx: 2000 }),
      picture(360, 5000, { vcodec: 'avc1.4d401e' }),
      picture(480, 9000),
      picture(720, 20_000, { vcodec: 'avc1.64001f' }),
      picture(720, 15_000),
      picture(1080, 50_000, { vcodec: 'avc1.640028' }),
      picture(2160, 200_000),
    ],
  }),
)

test('the size of a download is that of the formats that its arguments choose', () => {
  const estimate = (type: 'audio' | 'video', quality: 'max' | 'medium' | 'small', isCompatible = false) =>
    estimateBytes(info, { type, quality, isCompatible })
  assert.deepEqual(
    [estimate('audio', 'max'), estimate('audio', 'medium'), estimate('audio', 'small')],
    [2000, 2000, 800],
  )
  assert.deepEqual(
    [estimate('video', 'max'), estimate('video', 'medium'), estimate('video', 'small')],
    [202_000, 22_000, 7000],
  )
  assert.equal(estimate('video', 'max', true), 52_000)
})

test('without a stated size it is the bit rate and the length, and without those nothing is said', () => {
  assert.equal(bytesOf({ filesize: null, filesize_approx: null, tbr: 80 }, 100), 1_000_000)
  assert.equal(bytesOf({ filesize: null, filesize_approx: null, tbr: 80 }, null), undefined)
  const unknown = infoOf(JSON.stringify({ duration: 100, formats: [picture(720, 1000), sound(128, null)] }))
  assert.equal(estimateBytes(unknown, { type: 'video', quality: 'max', isCompatible: false }), undefined)
  const single = infoOf(JSON.stringify({ filesize_approx: 4321 }))
  assert.equal(estimateBytes(single, { type: 'audio', quality: 'max', isCompatible: false }), 4321)
  const one = infoOf(JSON.stringify({ filesize: 1234, formats: [{ format_id: 'mp4', vcodec: null, filesize: null }] }))
  assert.equal(estimateBytes(one, { type: 'audio', quality: 'max', isCompatible: false }), 1234)
})
