import assert from 'node:assert/strict'
import { test } from 'node:test'
import { finishedJob } from '../../test/job-row.ts'
import { MediaFacts } from '../tools/yt-dlp-output.ts'
import { downloadName } from './file-names.ts'
import { factsValues, jobOfRow } from './job-view.ts'

test('what a platform says of media is kept as far as it makes sense, and never at length', () => {
  const values = factsValues(
    MediaFacts.parse({
      title: `A\u0000 title ${'x'.repeat(1_000_000)}`,
      artists: ['One', 'Two'],
      track: 'The piece',
      album: '\n',
      upload_date: '20240517',
      release_date: 'soon',
      uploader: 'Somebody',
      chapters: [
        { start_time: 0, end_time: 61.5, title: 'Intro' },
        { start_time: 10, end_time: 5, title: 'Backwards' },
        { start_time: 'x' },
        ...Array.from({ length: 2000 }, (_, index) => ({ start_time: index, end_time: index + 1, title: null })),
      ],
    }),
  )
  assert.equal(values.video_title?.length, 500)
  assert.deepEqual(
    [values.artist, values.track_title, values.album, values.channel, values.published_on],
    ['One, Two', 'The piece', null, 'Somebody', '2024-05-17'],
  )
  const { chapter_count } = jobOfRow(finishedJob(values))
  assert.ok(chapter_count > 400 && chapter_count <= 500, `${chapter_count}`)
  assert.equal(jobOfRow(finishedJob({ chapters: 'damaged' })).chapter_count, 0)
})

test('a file is named by the template of its job, and no value of it leaves the folder', () => {
  const job = finishedJob({ video_title: '../../etc/passwd', artist: 'AC/DC', bpm: 120, musical_key: 14 })
  assert.equal(downloadName(job), 'etc passwd_120bpm.mp3')
  const named = { ...job, name_template: '{camelot} {artist} - {title}' }
  assert.equal(downloadName(named), '8A AC DC - etc passwd.mp3')
  assert.equal(downloadName({ ...named, name_template: '{album}' }), 'media.mp3')
  const long = downloadName({ ...named, artist: 'ä'.repeat(500), video_title: 'ö'.repeat(500) }) ?? ''
  assert.ok(Buffer.byteLength(long) <= 255, `${Buffer.byteLength(long)}`)
})
