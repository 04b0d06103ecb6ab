import assert from 'node:assert/strict'
import { test } from 'node:test'
import { playSong } from '../../../test/music/play-song.ts'
import type { Song } from '../../../test/music/song.ts'
import { beatClock } from '../../../test/music/tempo-map.ts'
import { onsetEnvelopes } from '../onset-envelope.ts'
import { findBeats } from './find-beats.ts'

const rate = 22_050

const rock: Song = {
  name: 'rock',
  group: '',
  seed: 9,
  seconds: 40,
  tempo: { bpm: 112 },
  drums: { kick: 'X-------X-X-----', snare: '----X-------X---', hat: 'x-o-x-o-x-o-x-o-' },
  tones: { bass: 'x-x-x-x-x-x-x-x-', piano: 'x---------------' },
}

const beatsOf = (song: Song, bpm: number) => findBeats(onsetEnvelopes(playSong(song, rate), rate), bpm)

test('beats lie where they were played, bars begin with them, and a steady tempo has no curve', () => {
  const { bpm, metre, beats, downbeats, curve } = beatsOf(rock, 112)
  assert.ok(Math.abs(bpm - 112) < 0.3, `${bpm}`)
  assert.equal(metre, 4)
  assert.deepEqual(curve, [])
  const places = beats.map((beat) => (beat * 112) / 60)
  assert.ok(places.length > 70)
  for (const place of places) assert.ok(Math.abs(place - Math.round(place)) < 0.12, `a beat at ${place}`)
  assert.ok(downbeats.length >= 16)
  for (const index of downbeats) assert.equal(Math.round(places[index] as number) % 4, 0, `a bar at ${places[index]}`)
})

test('a waltz has three beats a bar', () => {
  const waltz: Song = {
    ...rock,
    tempo: { bpm: 96 },
    drums: { kick: 'X-----------', snare: '----X---X---', hat: 'x-x-x-x-x-x-' },
    tones: { bass: 'X-----------', piano: '----x---x---' },
  }
  const { metre, downbeats } = beatsOf(waltz, 96)
  assert.equal(metre, 3)
  // Where they begin is not asked: chords of these songs change every four beats.
  const lengths = downbeats.slice(1).map((index, place) => index - (downbeats[place] as number))
  assert.deepEqual([...new Set(lengths)], [3])
})

test('beats follow a tempo that drifts, and the curve shows it', () => {
  const tempo = { ramp: [104, 120] } as const
  const { curve, beats } = beatsOf({ ...rock, tempo }, 112)
  const [first, last] = [curve[0], curve.at(-1)]
  assert.ok(first !== undefined && last !== undefined)
  assert.ok(Math.abs(first.bpm - 105) < 2.5 && Math.abs(last.bpm - 119) < 2.5, `${first.bpm} to ${last.bpm}`)
  const clock = beatClock(tempo, 40)
  const played = Array.from({ length: 80 }, (_, beat) => clock(beat))
  const near = beats.filter((beat) => played.some((one) => Math.abs(one - beat) < 0.07))
  assert.ok(near.length > beats.length * 0.95, `${near.length} of ${beats.length}`)
})

test('a sound with hardly a beat has no bars', () => {
  const { metre, downbeats } = beatsOf({ ...rock, seconds: 3 }, 112)
  assert.deepEqual([metre, downbeats], [null, []])
})
