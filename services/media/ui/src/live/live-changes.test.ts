import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Job, JobEvent } from '../api.ts'
import type { LiveJob } from '../jobs/job.ts'
import {
  appendJobs,
  dropJob,
  patchBook,
  patchJob,
  putJob,
  snapshotSize,
  withSnapshot,
  type JobBook,
} from './live-changes.ts'

const job = (id: string, minute: number, more: Partial<Job> = {}): LiveJob => ({
  id,
  url: `https://www.youtube.com/watch?v=${id}`,
  platform: 'youtube',
  video_title: null,
  video_meta_hover: null,
  artist: null,
  album: null,
  channel: null,
  published_on: null,
  chapter_count: 0,
  type: 'audio',
  quality: 'max',
  status: 'queued',
  created_at: `2026-01-01 10:${String(minute).padStart(2, '0')}:00`,
  finished_at: null,
  message: null,
  error_code: null,
  filesize_bytes: null,
  duration_seconds: null,
  codec: null,
  bitrate_kbps: null,
  bpm: null,
  bpm_confidence: null,
  key: null,
  key_camelot: null,
  key_confidence: null,
  loudness_lufs: null,
  loudness_range_lu: null,
  true_peak_dbtp: null,
  silence_start_seconds: null,
  silence_end_seconds: null,
  analysis_pending: false,
  audio_hash: null,
  tags: [],
  pinned: false,
  filename: null,
  ...more,
})

const event = (id: string, more: Partial<JobEvent>): JobEvent => ({
  seq: 1,
  id,
  status: 'downloading',
  message: 'Downloading',
  timestamp: '2026-01-01T10:00:00Z',
  ...more,
})

const book = (...jobs: Job[]): JobBook => ({ jobs, isComplete: false })
const ids = (of: JobBook | undefined) => of?.jobs.map(({ id }) => id)

test('progress belongs to its step, and the next one starts without any', () => {
  const running = patchJob(job('a', 1), event('a', { progress: 40, eta_seconds: 12 }))
  assert.deepEqual([running.progress, running.eta_seconds, running.status], [40, 12, 'downloading'])
  const titled = patchJob(running, event('a', { video_title: 'Song' }))
  assert.deepEqual([titled.progress, titled.eta_seconds, titled.video_title], [40, 12, 'Song'])
  const converting = patchJob(titled, event('a', { status: 'transcoding' }))
  assert.deepEqual([converting.progress, converting.eta_seconds], [undefined, undefined])
})

test('an event changes only its job, and nothing if the job is not listed', () => {
  const before = book(job('b', 2), job('a', 1))
  const after = patchBook(before, event('a', { status: 'done' }))
  assert.equal(after?.jobs[0], before.jobs[0])
  assert.equal(after?.jobs[1]?.status, 'done')
  assert.equal(patchBook(before, event('z', {})), before)
})

test('an added job is inserted in order, a known one updated, an old one left to its page', () => {
  const before = book(job('c', 3), job('a', 1))
  assert.deepEqual(ids(putJob(before, job('b', 2))), ['c', 'b', 'a'])
  assert.deepEqual(ids(putJob(before, job('d', 3))), ['d', 'c', 'a'])
  assert.deepEqual(ids(putJob(before, job('c', 3, { video_title: 'New' }))), ['c', 'a'])
  assert.deepEqual(ids(putJob(before, job('z', 0))), ['c', 'a'])
  assert.deepEqual(ids(putJob({ ...before, isComplete: true }, job('z', 0))), ['c', 'a', 'z'])
  assert.deepEqual(ids(dropJob(before, 'c')), ['a'])
})

test('a job from the same second as the newest one comes before it, whatever their ids', () => {
  const first = putJob(book(job('a', 1)), job('z', 3))
  assert.deepEqual(ids(putJob(first, job('b', 3))), ['b', 'z', 'a'])
})

test('pages are appended without duplicates, and a short one is the last', () => {
  const first = appendJobs(undefined, [job('c', 3), job('b', 2)], 2)
  assert.equal(first.isComplete, false)
  const second = appendJobs(first, [job('b', 2)], 2)
  assert.deepEqual(ids(second), ['c', 'b'])
  assert.equal(second.isComplete, true)
})

test('a snapshot updates the newest jobs and keeps older ones only if there is no gap', () => {
  const many = Array.from({ length: snapshotSize }, (_, n) => job(`j${String(n).padStart(2, '0')}`, 59 - n))
  const known = book(...many, job('old', 0))
  const overlapping = withSnapshot(known, [job('new', 59, { created_at: '2026-01-01 11:00:00' }), ...many.slice(0, -1)])
  assert.equal(overlapping.jobs.length, snapshotSize + 2)
  const far = Array.from({ length: snapshotSize }, (_, n) =>
    job(`k${n}`, 1, { created_at: `2026-01-02 11:00:${10 + n}` }),
  )
  const apart = withSnapshot(known, far)
  assert.deepEqual([apart.jobs.length, apart.isComplete], [snapshotSize, false])
  const whole = withSnapshot(known, [job('only', 5)])
  assert.deepEqual([ids(whole), whole.isComplete], [['only'], true])
})

test('a snapshot of jobs created in one second duplicates and drops none', () => {
  const many = Array.from({ length: snapshotSize + 5 }, (_, n) => job(`j${(n * 37) % 100}`, 1))
  const after = withSnapshot(book(...many), many.slice(0, snapshotSize))
  assert.deepEqual(ids(after), ids(book(...many)))
})

test('the progress of a running step survives a snapshot', () => {
  const running = patchJob(job('a', 1), event('a', { progress: 40, eta_seconds: 3 }))
  const after = withSnapshot(book(running), [job('a', 1, { status: 'downloading' })])
  assert.equal(after.jobs[0]?.progress, 40)
})
