import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog, createSkippingTimers } from '@hearth/runtime'
import { eventually } from '@hearth/testing'
import { openToldNotifications } from '../test/told-notifications.ts'
import { releaseClass, watchReleases, type FoundRelease } from './release-report.ts'

test('each newer version is told once; a failed check and the installed version are not', async () => {
  await using notifications = await openToldNotifications([releaseClass])
  const answers: FoundRelease[] = [
    { version: '1.0.0', latest: null, update_available: null, url: null },
    { version: '1.0.0', latest: '1.0.0', update_available: false, url: null },
    { version: '1.0.0', latest: '1.1.0', update_available: true, url: 'https://example.org/1.1.0' },
    { version: '1.0.0', latest: null, update_available: null, url: null },
    { version: '1.0.0', latest: '1.1.0', update_available: true, url: 'https://example.org/1.1.0' },
    { version: '1.0.0', latest: '1.2.0', update_available: true, url: null },
  ]
  const timers = createSkippingTimers(0)
  const times: number[] = []
  const watch = watchReleases({
    reports: notifications.reports,
    check() {
      times.push(timers.now())
      return Promise.resolve(answers[times.length - 1] ?? answers.at(-1)!)
    },
    timers,
    log: createLog({ name: 'test', level: 'silent' }),
  })
  await eventually(
    () => times.length,
    (count) => count >= answers.length,
  )
  await watch.close()
  assert.deepEqual(times.slice(0, 3), [60_000, 86_460_000, 172_860_000])
  assert.deepEqual(await notifications.told(), ['began: Hearth 1.1.0 is available', 'began: Hearth 1.2.0 is available'])
})
