import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { namedTrack, tracksOf } from '../../test/music/named-track.ts'
import { score } from '../../test/music/score.ts'
import type { TestTrack } from '../../test/music/test-sets.ts'
import { estimateTempo } from './estimate-tempo.ts'

const rate = 22_050
const estimate = (track: TestTrack) => estimateTempo(track.play(rate), rate)

describe('music with a steady beat', () => {
  for (const track of tracksOf('straight'))
    test(`${track.name} is found to within 1 BPM, except for octaves`, () => {
      const { bpm, confidence } = estimate(track)
      const errors = [0.5, 1, 2].map((octave) => Math.abs((bpm ?? 0) * octave - track.right[0]!))
      assert.ok(Math.min(...errors) <= 1, `${bpm}`)
      assert.ok(confidence > 0.35)
    })

  test('beats are placed where they were played, and the other octave is reported', () => {
    const { bpm, alternative, beats, onsetsPerBeat } = estimate(namedTrack('house 124'))
    assert.ok(bpm !== null && Math.abs(bpm - 124) < 0.2)
    assert.ok(alternative !== null && Math.abs(alternative - 62) < 0.2)
    assert.ok(beats.length >= 47 && onsetsPerBeat > 1 && onsetsPerBeat < 4)
    for (const beat of beats) {
      const place = (beat * 124) / 60
      assert.ok(Math.abs(place - Math.round(place)) < 0.06, `a beat at ${beat}`)
    }
  })
})

describe('music with an irregular beat', () => {
  for (const track of [...tracksOf('swing'), ...tracksOf('noise'), ...tracksOf('no drums')])
    test(`${track.name} is found, except for octaves`, () => {
      const { bpm } = estimate(track)
      assert.ok(score(bpm, track.right).acc2, `${bpm}`)
    })

  for (const track of tracksOf('drift'))
    test(`${track.name}: the mean tempo is found`, () => {
      const { bpm } = estimate(track)
      assert.ok(score(bpm, track.right).acc2, `${bpm}`)
    })

  for (const track of tracksOf('change'))
    test(`${track.name}: one of both tempi is found, with low confidence`, () => {
      const { bpm, confidence } = estimate(track)
      assert.ok(score(bpm, track.right).acc2, `${bpm}`)
      assert.ok(confidence <= 0.6, `${confidence}`)
    })

  test('a tempo change that only a probe covers lowers the confidence', () => {
    const [slow, fast] = [namedTrack('rock 96').play(rate), namedTrack('rock 138').play(rate)]
    const alone = estimateTempo(slow, rate)
    const same = estimateTempo(slow, rate, [slow.slice(rate * 3)])
    const other = estimateTempo(slow, rate, [slow.slice(rate * 3), fast])
    assert.ok(alone.confidence > 0.65)
    assert.equal(same.confidence, alone.confidence)
    assert.equal(other.bpm, alone.bpm)
    assert.equal(other.confidence, 0.6)
  })
})

describe('audio without a tempo', () => {
  for (const track of ['drone', 'talking', 'stray notes', 'silence'].map(namedTrack))
    test(`${track.name} has no tempo`, () => {
      const { bpm, alternative, beats, confidence } = estimate(track)
      assert.deepEqual({ bpm, alternative, beats }, { bpm: null, alternative: null, beats: [] })
      assert.ok(confidence < 0.35)
    })

  test('less than 8 s of music, or none, has no tempo', () => {
    const samples = namedTrack('house 124').play(rate)
    assert.equal(estimateTempo(samples.slice(0, 7.9 * rate), rate).bpm, null)
    assert.equal(estimateTempo(new Float32Array(0), rate).bpm, null)
    assert.ok(Math.abs((estimateTempo(samples.slice(0, 8.1 * rate), rate).bpm ?? 0) - 124) < 2)
  })
})

describe('the result does not depend on', () => {
  const samples = namedTrack('rock 96').play(rate)
  const reference = estimateTempo(samples, rate)

  const isSame = (changed: Float32Array) => {
    const { bpm, confidence } = estimateTempo(changed, rate)
    assert.ok(bpm !== null && reference.bpm !== null && Math.abs(bpm / reference.bpm - 1) < 0.001, `${bpm}`)
    assert.ok(Math.abs(confidence - reference.confidence) < 0.02, `${confidence}`)
  }

  test('repetition: the same samples give the same result', () => {
    assert.deepEqual(estimateTempo(samples.slice(), rate), reference)
  })

  test('volume, polarity or a constant offset', () => {
    isSame(samples.map((sample) => sample * 20))
    isSame(samples.map((sample) => sample * 1e-4))
    isSame(samples.map((sample) => -sample))
    isSame(samples.map((sample) => sample + 0.4))
  })

  test('non-finite samples', () => {
    const damaged = samples.slice()
    damaged.fill(Number.NaN, 5 * rate, 5 * rate + 50)
    damaged[9 * rate] = Infinity
    const { bpm } = estimateTempo(damaged, rate)
    assert.ok(bpm !== null && reference.bpm !== null && Math.abs(bpm / reference.bpm - 1) < 0.005)
    assert.equal(estimateTempo(new Float32Array(10 * rate).fill(Number.NaN), rate).bpm, null)
  })

  test('the sample rate', () => {
    const { bpm } = estimateTempo(namedTrack('rock 96').play(44_100), 44_100)
    assert.ok(bpm !== null && reference.bpm !== null && Math.abs(bpm / reference.bpm - 1) < 0.002, `${bpm}`)
  })
})
