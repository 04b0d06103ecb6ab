import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLocalBus } from '@hearth/events'
import type { MediaEvent } from '../events.ts'
import { createSplitProgress } from './split-progress.ts'

test('progress is reported at most twice a second, and the end always', () => {
  const bus = createLocalBus<MediaEvent>(0)
  const heard: unknown[] = []
  bus.subscribe((event) => void heard.push('stage' in event ? [event.job_id, event.stage, event.progress] : event))
  let now = 0
  const progress = createSplitProgress(bus, 'job', () => now)
  for (const [at, stage, percent] of [
    [0, 'upload', 0],
    [499, 'upload', 90],
    [500, 'split', 0],
    [700, 'wait', 10],
    [1000, 'wait', 100.4],
    [1499, 'download', 0],
    [1500, 'download', 50],
    [9000, 'clean-up', 0],
  ] as const) {
    now = at
    progress.report(stage, percent)
  }
  progress.done()
  progress.failed('no voice')
  assert.deepEqual(heard, [
    ['job', 'upload', 0],
    ['job', 'processing', 0],
    ['job', 'processing', 100],
    ['job', 'download', 50],
    ['job', 'done', 100],
    ['job', 'failed', 0],
  ])
})
