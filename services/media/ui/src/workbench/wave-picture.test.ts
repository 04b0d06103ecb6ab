import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countBeats } from './beats.ts'
import { columnsOf, parsePeaks } from './peaks.ts'
import { bounded, fitted, scrolled, timeAt, xOf, zoomed, type Viewport } from './viewport.ts'
import { drawPicture } from './wave-picture.ts'

/** The shape of a sound as the server sends it. */
function answerOf(seconds: number, value: (pair: number) => number): ArrayBuffer {
  const count = seconds * 200
  const bytes = new ArrayBuffer(24 + 2 * count)
  const view = new DataView(bytes)
  view.setUint32(0, 0x48_50_4b_31)
  view.setUint32(4, count, true)
  view.setFloat64(8, 0.005, true)
  view.setFloat64(16, seconds, true)
  for (let pair = 0; pair < count; pair += 1) {
    view.setInt8(24 + 2 * pair, -value(pair))
    view.setInt8(25 + 2 * pair, value(pair))
  }
  return bytes
}

/** A canvas that only takes everything. */
const canvas = new Proxy({} as CanvasRenderingContext2D, { get: () => () => undefined, set: () => true })
const colours = { wave: '', line: '', text: '', accent: '', cue: '' }

test('a frame costs what its width does, however long the sound is and whatever is in view', () => {
  const costs = [60, 3600, 4 * 3600].map((seconds) => {
    const peaks = parsePeaks(answerOf(seconds, (pair) => pair % 100))
    const beats = countBeats(
      {
        bpm: 128,
        metre: 4,
        confidence: 1,
        beats: Array.from({ length: seconds * 2 }, (_, index) => index / 2.13),
        downbeats: [0],
      },
      { snap: 'off', beats_per_bar: null, shift: 0 },
    )
    const whole = fitted({ width: 1200, duration: seconds })
    const views = [whole, zoomed(whole, 4, 300), zoomed(whole, 50, 300), zoomed(whole, 1e6, 300)]
    return Math.max(
      ...views.map((view) =>
        drawPicture(
          canvas,
          { peaks, parts: [], cues: [], beats, selected: undefined, playhead: 0 },
          { view, height: 200, density: 2, colours },
        ),
      ),
    )
  })
  // 2,400 columns of at most four pairs, and lines that are seven pixels apart.
  for (const cost of costs) assert.ok(cost <= 2400 * 4 + 1200 / 7 + 30, `${cost}`)
})

test('a column has the lowest and the highest sample of its time, at every scale', () => {
  const peaks = parsePeaks(answerOf(100, (pair) => (pair === 10_000 ? 127 : 1)))
  for (const secondsPerColumn of [0.005, 0.01, 0.03, 0.1, 0.5, 1]) {
    const columns = Math.ceil(100 / secondsPerColumn)
    const { pairs } = columnsOf(peaks, { start: 0, secondsPerColumn, columns })
    const loud = Array.from({ length: columns }, (_, column) => column).filter(
      (column) => pairs[2 * column + 1] === 127,
    )
    const expected = Math.floor(50 / secondsPerColumn)
    assert.ok(
      loud.length >= 1 && loud.length <= 3 && loud.some((column) => Math.abs(column - expected) <= 1),
      `${secondsPerColumn}`,
    )
  }
})

test('what is no shape, or only a part of one, is refused', () => {
  assert.throws(() => parsePeaks(new ArrayBuffer(5)))
  assert.throws(() => parsePeaks(answerOf(10, () => 1).slice(0, 100)))
  assert.throws(() => parsePeaks(new ArrayBuffer(100)))
})

test('zooming keeps what is under the pointer, and nothing outside the sound is shown', () => {
  const whole = fitted({ width: 1000, duration: 3600 })
  const near: Viewport = zoomed(whole, 100, 250)
  assert.ok(Math.abs(timeAt(near, 250) - 900) < 1e-6)
  assert.ok(Math.abs(xOf(near, timeAt(near, 77)) - 77) < 1e-6)
  assert.equal(scrolled(near, -1e9).start, 0)
  const last = scrolled(near, 1e9)
  assert.ok(Math.abs(timeAt(last, 1000) - 3600) < 1e-6)
  assert.deepEqual(zoomed(near, 1e-9, 500), whole)
  assert.deepEqual(bounded({ ...whole, start: 10 }), whole)
})
