import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Reports } from '@hearth/notifications'
import { createMediaReports } from './media-reports.ts'

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
  platform: 'youtube',
  status: 'error',
  error_code: 'bot_check',
  message: 'The platform takes this server for a robot',
  attempt: 2,
} as const

test('a platform that takes the server for a robot is blocked until a download from it completes', () => {
  const { kept, reports } = keptReports()
  const media = createMediaReports(reports)
  media.jobEnded(job)
  media.jobEnded({ ...job, error_code: 'removed' })
  media.jobEnded({ ...job, status: 'cancelled', error_code: null })
  media.jobEnded({ ...job, status: 'done', error_code: null })
  assert.deepEqual(kept, [
    'job.failed j1 2',
    'begin platform.blocked youtube',
    'job.failed j1 2',
    'end platform.blocked youtube',
  ])
})
