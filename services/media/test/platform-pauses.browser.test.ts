import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  assertAccessible,
  browserObstacle,
  everyScreen,
  eventually,
  screenshot,
  showOn,
  wideAndPhone,
} from '@hearth/testing'
import type { Job } from '../src/jobs/schema.ts'
import { openBrowserFixture } from './browser-fixture.ts'
import { startPlatform, type Platform } from './platform/platform.ts'

const skip = browserObstacle()

let platform: Platform
before(async () => {
  platform = await startPlatform()
})
after(() => platform[Symbol.asyncDispose]())

test('a platform that refuses is shown with a countdown, and goes on when it is tried', { skip }, async () => {
  await using place = await openBrowserFixture(platform)
  const { page, media } = place
  platform.treat('refused')
  await page.goto(media.url)
  await media.submit(platform.page('sound.m4a', { title: 'Night drive', id: 'night', pace: 'held' }))
  const strip = page.getByRole('list', { name: 'Paused platforms' })
  await strip.getByText('YouTube takes no more requests from this server for now').waitFor()
  await strip.getByText(/^1 download waits\. The next try is in \d:\d\d\.$/).waitFor()
  await page.getByText(/^YouTube refuses this server for now/).waitFor()
  for (const screen of everyScreen) {
    await showOn(page, screen)
    await assertAccessible(page)
    await screenshot(page, `media-paused-${screen.join('-')}`)
  }
  await page.goto(`${media.url}/settings?tab=cookies`)
  const health = page.getByRole('region', { name: 'How it goes' })
  await health.getByText('Paused', { exact: true }).waitFor()
  for (const screen of everyScreen) {
    await showOn(page, screen)
    await assertAccessible(page)
    await screenshot(page, `media-health-${screen.join('-')}`)
  }
  await showOn(page, everyScreen[0]!)
  platform.treat('answered')
  await page.goto(media.url)
  await strip.getByRole('button', { name: 'Try now' }).click()
  await strip.waitFor({ state: 'detached' })
  await page.goto(`${media.url}/settings?tab=cookies`)
  await health.getByText('Not used yet', { exact: true }).nth(3).waitFor()
  await eventually(
    () => platform.waiting,
    (waiting) => waiting === 1,
  )
  platform.release()
  await health.getByText('Works', { exact: true }).waitFor()
  await health.getByText('1 success').waitFor()
})

test('a failed download has its one remedy as a button, and a report to save', { skip }, async () => {
  await using place = await openBrowserFixture(platform)
  const { page, media } = place
  const { id } = await media.submit(platform.page('sound.m4a', { pace: 'missing' }))
  const failed = await eventually(
    async () => (await media.json<Job>('GET', `/api/jobs/${id}`)).body,
    ({ status }) => status === 'error',
    { everyMs: 200 },
  )
  assert.notEqual(failed.error_code, null)
  await page.goto(`${media.url}/job/${id}`)
  const opening = page.context().waitForEvent('page')
  await page.getByRole('alert').getByRole('link', { name: 'Look on YouTube' }).click()
  const opened = await opening
  await opened.waitForURL(failed.url)
  await opened.close()
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download report' }).click()
  assert.equal((await downloading).suggestedFilename(), `failure-${id.slice(0, 8)}.txt`)
  for (const screen of wideAndPhone) {
    await showOn(page, screen)
    await screenshot(page, `media-failure-${screen.join('-')}`)
  }
})
