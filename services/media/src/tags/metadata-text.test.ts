import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryDirectory } from '@hearth/testing'
import { opusGain, replayGain, replayPeak, type MediaTags } from './media-tags.ts'
import { metadataText } from './metadata-text.ts'

const tags: MediaTags = {
  title: 'A = title; with # and \\ in it',
  artist: null,
  album: '[CHAPTER]',
  date: '2024-05-17',
  source: 'https://www.youtube.com/watch?v=abc&list=x#t=1',
  bpm: 128,
  key: 'Am',
  loudness: -9.1,
  peak: 0.3,
  chapters: [
    { start: 0, end: 1500, title: ';one=1' },
    { start: 1500, end: 3000, title: null },
  ],
}

test('ffmpeg reads back what is written, whatever characters it has', async () => {
  await using folder = await temporaryDirectory()
  for (const title of [tags.title, '\\', 'ends with \\', '=', '#', ';FFMETADATA1', 'tab\tand blank ']) {
    const file = join(folder.path, 'tags.txt')
    writeFileSync(file, metadataText({ ...tags, title }, 'id3'))
    const words = ['-v', 'error', '-f', 'ffmetadata', '-show_format', '-show_chapters', '-of', 'json', file]
    const read = JSON.parse(execFileSync('ffprobe', words, { encoding: 'utf8' })) as {
      format: { tags: Record<string, string> }
      chapters: { start_time: string; tags: Record<string, string> }[]
    }
    const { title: found = '', album, comment, TBPM, TKEY, REPLAYGAIN_TRACK_GAIN } = read.format.tags
    assert.equal(found, title?.replace(/[\\\s]+$/, ''))
    assert.deepEqual(
      [album, comment, TBPM, TKEY, REPLAYGAIN_TRACK_GAIN],
      ['[CHAPTER]', tags.source, '128', 'Am', '-8.90 dB'],
    )
    assert.equal('artist' in read.format.tags, false)
    assert.deepEqual(
      read.chapters.map((chapter) => chapter.start_time),
      ['0.000000', '1.500000'],
    )
    assert.equal(read.chapters[0]?.tags['title'], ';one=1')
  }
})

test('gains bring a track to the loudness of their standards', () => {
  assert.deepEqual([replayGain(-18), replayGain(-9.1), replayGain(-23)], ['0.00 dB', '-8.90 dB', '5.00 dB'])
  assert.deepEqual([replayPeak(0), replayPeak(-6)], ['1.000000', '0.501187'])
  assert.deepEqual([opusGain(-23), opusGain(-22), opusGain(-500)], [0, -256, 32_767])
})
