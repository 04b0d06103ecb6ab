import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pinkNoise } from '../../../test/music/noises.ts'
import { toneVoices, type ToneName } from '../../../test/music/tone-voices.ts'
import { camelotIndex, keyName, musicalKeys, type MusicalKey } from '../../music/musical-keys.ts'
import { estimateKey } from './estimate-key.ts'

const rate = 22_050
const chordSeconds = 1.2

/** Roots above the tonic and notes above the root of a cadence that begins and ends on the tonic, and leaves no doubt of the mode. */
const cadences = {
  major: [
    [0, 0, 4, 7],
    [5, 0, 4, 7],
    [7, 0, 4, 7, 10],
    [0, 0, 4, 7],
  ],
  minor: [
    [0, 0, 3, 7],
    [5, 0, 3, 7],
    [7, 0, 4, 7, 10],
    [0, 0, 3, 7],
  ],
} as const

/** The cadence of a key, twice, on an instrument, so many semitones off 440 Hz. */
function playCadence({ tonic, mode }: MusicalKey, voice: ToneName, detune = 0): Float32Array {
  const chords = [...cadences[mode], ...cadences[mode]]
  const samples = new Float32Array(Math.round(chords.length * chordSeconds * rate) + rate)
  for (const [number, [root, ...notes]] of chords.entries())
    for (const pitch of [root - 12, ...notes.map((note) => root + note)]) {
      const sound = toneVoices[voice](rate, { pitch: 60 + tonic + pitch + detune, seconds: chordSeconds })
      const begin = Math.round(number * chordSeconds * rate)
      for (let index = 0; index < sound.length && begin + index < samples.length; index += 1)
        samples[begin + index]! += 0.2 * sound[index]!
    }
  return samples
}

for (const [voice, detune] of [
  ['piano', 0],
  ['strings', 0.35],
  ['pluck', -0.4],
] as const)
  test(`a cadence of ${voice} is in its key, in all 24 of them, ${detune} semitones off`, () => {
    for (const key of musicalKeys) {
      const { key: found, confidence } = estimateKey([playCadence(key, voice, detune)], rate)
      assert.equal(found === null ? 'none' : keyName(found), keyName(camelotIndex(key)))
      assert.ok(confidence > 0.3 && confidence <= 1, `${keyName(camelotIndex(key))}: ${confidence}`)
    }
  })

test('gain does not count, and samples that are no numbers are silence', () => {
  const samples = playCadence({ tonic: 9, mode: 'minor' }, 'piano')
  const { key, confidence } = estimateKey([samples], rate)
  const quiet = estimateKey([samples.map((sample) => sample * 0.001)], rate)
  assert.equal(quiet.key, key)
  assert.ok(Math.abs(quiet.confidence - confidence) < 0.01)
  assert.equal(estimateKey([samples.map((sample, index) => (index % 5000 === 0 ? Number.NaN : sample))], rate).key, key)
})

test('noise, silence and a piece of no length have no key', () => {
  for (const samples of [pinkNoise(20 * rate, 3), new Float32Array(20 * rate), new Float32Array(0)])
    assert.deepEqual(estimateKey([samples], rate).key, null)
})
