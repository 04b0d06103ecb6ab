import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kindOfArtifact } from './artifact-kind.ts'

test('each file that the service stores is of its kind', () => {
  const kinds = {
    original: ['source.m4a', 'source.mkv', 'video.mp4'],
    conversion: ['audio.mp3', 'audio_original.m4a'],
    trim: ['trim_0_1000.wav'],
    export: ['export_11111111-1111-4111-8111-111111111111_1.wav'],
    stem: ['stem_whole_vocals.mp3'],
    wave: ['waveform.json', 'peaks.bin', 'beats.json'],
    picture: ['thumbnail.jpg'],
  }
  for (const [kind, names] of Object.entries(kinds))
    for (const name of names) assert.equal(kindOfArtifact(name), kind, name)
})
