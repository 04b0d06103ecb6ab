import assert from 'node:assert/strict'
import { test } from 'node:test'
import { score } from '../../test/music/score.ts'
import { heldOutSet } from '../../test/music/test-sets.ts'
import { estimateTempo } from './estimate-tempo.ts'

/** Bounds that must not get worse, on music the estimator was not made with; `npm run bench -- media/analysis` shows the figures. */
const least = { acc1: 0.75, acc2: 0.92 }

const rate = 22_050
const answers = heldOutSet.map((track) => {
  const { bpm, confidence } = estimateTempo(track.play(rate), rate)
  return { name: track.name, right: track.right, bpm, confidence }
})
const songs = answers.filter(({ right }) => right.length > 0)
const share = (kind: keyof ReturnType<typeof score>) =>
  songs.filter(({ bpm, right }) => score(bpm, right)[kind]).length / songs.length

test('held-out music: the tempo is right in three of four pieces, and most others are off by an octave', () => {
  const missed = songs.filter(({ bpm, right }) => !score(bpm, right).acc1).map(({ name, bpm }) => `${name}: ${bpm}`)
  assert.ok(share('acc1') >= least.acc1, `right in ${share('acc1')}: ${missed.join(', ')}`)
  assert.ok(share('acc2') >= least.acc2, `right but for the octave in ${share('acc2')}: ${missed.join(', ')}`)
})

test('held-out sounds without a beat get no tempo', () => {
  const given = answers.filter(({ right, bpm }) => right.length === 0 && bpm !== null)
  assert.deepEqual(
    given.map(({ name, bpm }) => `${name}: ${bpm}`),
    [],
  )
})

test('held-out tempo changes never get high confidence', () => {
  const changes = songs.filter(({ right }) => right.length > 1)
  assert.ok(changes.length > 1)
  for (const { name, confidence } of changes) assert.ok(confidence <= 0.6, `${name}: ${confidence}`)
})
