import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Reports } from '@hearth/notifications'
import { createMediaReports } from './media-reports.ts'
import { reportPauses } from './platform-reports.ts'

/** Reports that are kept as texts. */
function keptReports() {
  const kept: string[] = []
  const reports: Reports = {
    notify: ({ class: name, key }) => kept.push(`${name} ${key ?? ''}`),
    begin: ({ class: name, subject }) => kept.push(`begin ${name} ${subject}`),
    end: ({ class: name, subject }) => kept.push(`end ${name} ${subject}`),
    replaceAll: () => undefined,
  }
  return { kept, reports }
}

const job = {
  id: 'j1',
  video_title: null,
  url: 'https://www.youtube.com/watch?v=1',
  status: 'error',
  message: 'The platform takes this server for a robot',
  error_code: 'bot_check',
  attempt: 2,
} as const

test('a job is reported when it fails or is done, once for each attempt', () => {
  const { kept, reports } = keptReports()
  const media = createMediaReports(reports)
  media.jobEnded(job, 0)
  media.jobEnded({ ...job, status: 'cancelled' }, 0)
  media.jobEnded({ ...job, status: 'done', error_code: null }, 0)
  media.jobEnded({ ...job, id: 'j2', status: 'analysis_done', error_code: null }, 0)
  assert.deepEqual(kept, ['job.failed j1 2', 'job.done j1 2', 'job.done j2 2'])
})

test('downloads for which there is no room are reported as an exhausted budget, too, in one report a day', () => {
  const { kept, reports } = keptReports()
  const media = createMediaReports(reports)
  media.jobEnded({ ...job, error_code: 'no_room' }, 0)
  media.storageExhausted(86_399_999)
  media.storageExhausted(86_400_000)
  assert.deepEqual(kept, [
    'storage.full 1970-01-01',
    'job.failed j1 2',
    'storage.full 1970-01-01',
    'storage.full 1970-01-02',
  ])
})

test('a paused platform is blocked until its pause is over', () => {
  const { kept, reports } = keptReports()
  reportPauses(reports, [{ platform: 'tiktok', reason: 'bot_check' }])
  assert.deepEqual(kept, [
    'end platform.blocked youtube',
    'begin platform.blocked tiktok',
    'end platform.blocked instagram',
    'end platform.blocked facebook',
  ])
})
