import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Job } from '../api.ts'
import { filterJobs, isNarrowed, sortJobs, type JobFilter } from './job-filter.ts'

const job = (id: string, more: Partial<Job>): Job =>
  ({
    id,
    url: `https://tiktok.com/${id}`,
    platform: 'tiktok',
    type: 'audio',
    status: 'done',
    bpm: null,
    video_title: null,
    video_meta_hover: null,
    ...more,
  }) as Job

const jobs = [
  job('a', { status: 'analysis', video_title: 'Night Drive', bpm: 128 }),
  job('b', { status: 'analysis_done', video_title: 'Morning', video_meta_hover: 'Channel: Night Owls' }),
  job('c', { status: 'error', type: 'video', platform: 'youtube' }),
  job('d', { status: 'queued' }),
]
const none: JobFilter = { show: '', type: '', platform: '', sort: '', search: '' }
const found = (filter: Partial<JobFilter>) => filterJobs(jobs, { ...none, ...filter }).map(({ id }) => id)

test('without a filter every job is shown', () => {
  assert.equal(filterJobs(jobs, none), jobs)
  assert.equal(isNarrowed(none), false)
})

test('a job in progress is active, even if its file exists', () => {
  assert.deepEqual(found({ show: 'active' }), ['a', 'd'])
  assert.deepEqual(found({ show: 'done' }), ['b'])
  assert.deepEqual(found({ show: 'failed' }), ['c'])
})

test('every word is searched in title, channel, address and tempo', () => {
  assert.deepEqual(found({ search: 'night' }), ['a', 'b'])
  assert.deepEqual(found({ search: ' NIGHT  owls ' }), ['b'])
  assert.deepEqual(found({ search: '128 bpm' }), ['a'])
  assert.deepEqual(found({ search: 'tiktok.com/d' }), ['d'])
  assert.deepEqual(found({ platform: 'youtube', type: 'video' }), ['c'])
})

test('jobs are sorted by a value, and what has none comes last', () => {
  const sounds = [
    job('new', { bpm: 90, key_camelot: '10A', loudness_lufs: -14 }),
    job('bare', { bpm: null, key_camelot: null, loudness_lufs: null }),
    job('old', { bpm: 128, key_camelot: '2B', loudness_lufs: -8 }),
    job('older', { bpm: 90, key_camelot: '2A', loudness_lufs: -20 }),
  ]
  const sorted = (sort: string) =>
    sortJobs(sounds, sort)
      .map(({ id }) => id)
      .join(' ')
  assert.equal(sorted(''), 'new bare old older')
  assert.equal(sorted('oldest'), 'older old bare new')
  assert.equal(sorted('tempo'), 'new older old bare')
  assert.equal(sorted('tempo-desc'), 'old new older bare')
  assert.equal(sorted('key'), 'older old new bare')
  assert.equal(sorted('loudness-desc'), 'old new older bare')
  assert.equal(sorted('nonsense'), 'new bare old older')
})
