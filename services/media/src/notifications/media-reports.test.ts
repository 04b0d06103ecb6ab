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
  attempt: 2,
} as const

test('a job is reported when it fails, once for each attempt', () => {
  const { kept, reports } = keptReports()
  const media = createMediaReports(reports)
  media.jobEnded(job)
  media.jobEnded({ ...job, status: 'cancelled' })
  media.jobEnded({ ...job, status: 'done' })
  assert.deepEqual(kept, ['job.failed j1 2'])
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
