import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertAccessible, browserObstacle, eventually, everyScreen, screenshot, showOn } from '@hearth/testing'
import type { Job } from '../src/jobs/schema.ts'
import type { StorageUsage } from '../src/space/schema.ts'
import { openBrowserFixture, paste } from './browser-fixture.ts'
import { startPlatform, type Platform } from './platform/platform.ts'

const skip = browserObstacle()

let platform: Platform
before(async () => {
  platform = await startPlatform()
})
after(() => platform[Symbol.asyncDispose]())

test('the storage page shows what takes space, and what would go before a budget is saved', { skip }, async () => {
  await using place = await openBrowserFixture(platform)
  const { page, media } = place
  const kinds = ['sound.m4a', 'sound.opus', 'video.mp4'] as const
  const titles = ['Night drive', 'Slow water', 'Dawn over the old harbour (live at the pier)']
  const ids: string[] = []
  for (const [index, kind] of kinds.entries()) {
    const type = kind === 'video.mp4' ? 'video' : 'audio'
    const { id } = await media.submit(platform.page(kind, { id: kind, title: titles[index]! }), { type })
    await media.reach(id, 'analysis_done', 'done')
    ids.push(id)
  }
  await media.call('GET', `/download/${ids[0]}?format=wav`)
  await media.call('GET', `/api/jobs/${ids[1]}/waveform`)

  await page.goto(`${media.url}/job/${ids[0]}`)
  await page.getByRole('button', { name: 'Pin', exact: true }).click()
  await page.getByRole('button', { name: 'Unpin' }).waitFor()
  assert.equal((await media.json<Job>('GET', `/api/jobs/${ids[0]}`)).body.pinned, true)
  await screenshot(page, 'media-job-pinned')

  await page.goto(`${media.url}/settings?tab=storage`)
  await page.getByText('stored, without a limit').waitFor()
  await page.getByText('Nothing goes without a limit.').waitFor()
  const used = (await media.json<StorageUsage>('GET', '/api/storage')).body.used_bytes
  await page.getByLabel('Most that files may take').fill(String((used - 1000) / 1024 ** 3))
  await page.getByText(/Saving would remove .*1 download/).waitFor()
  await page.getByLabel('Most that files may take').fill('0.0001')
  await page.getByText(/would stay, which is over the budget/).waitFor()
  await page.getByRole('list', { name: 'Downloads that would go' }).getByText('Slow water').waitFor()
  assert.equal((await media.json<StorageUsage>('GET', '/api/storage')).body.used_bytes, used)
  for (const screen of everyScreen) {
    await showOn(page, screen)
    await assertAccessible(page)
    await screenshot(page, `media-storage-${screen.join('-')}`)
  }
  await showOn(page, everyScreen[0]!)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('table', { name: 'Files that went' }).getByText('Slow water').waitFor()
  await eventually(
    () => media.json<Job>('GET', `/api/jobs/${ids[1]}`),
    ({ body }) => body.filename === null,
    { what: 'the end of the file' },
  )

  // As the upkeep notes it when a disk is not mounted.
  media.service.app.core.presence.note(true)
  await page.reload()
  await page.getByText('None of the stored files can be found').waitFor()
  await assertAccessible(page)
  await screenshot(page, 'media-storage-missing')
  media.service.app.core.presence.note(false)
  await page.reload()
  await page.getByRole('table', { name: 'Files that went' }).getByText('Slow water').waitFor()
  for (const screen of everyScreen) {
    await showOn(page, screen)
    await assertAccessible(page)
    await screenshot(page, `media-storage-log-${screen.join('-')}`)
  }
  await showOn(page, everyScreen[0]!)
  await page.goto(`${media.url}/library`)
  await page.getByRole('checkbox', { name: 'Choose Night drive' }).check({ force: true })
  await page.getByRole('button', { name: 'Unpin' }).click()
  await page.getByText('1 download unpinned').waitFor()
  await screenshot(page, 'media-library-pin')
})

test('a download says what it takes before it is fetched, and that it does not fit', { skip }, async () => {
  await using place = await openBrowserFixture(platform)
  const { page, media } = place
  const url = platform.page('video.mp4', { id: 'large', title: 'Night drive', states: 450_000_000 })
  const preview = async () => {
    await page.goto(media.url)
    await page.getByText('Nothing was downloaded yet').waitFor()
    await paste(page, url)
  }
  await preview()
  await page.getByText('About 429 MiB').waitFor()
  await media.json('POST', '/api/settings', { json: { storage_budget_bytes: 21_474_836_480 } })
  await preview()
  await page.getByText('About 429 MiB; 20 GiB free of 20 GiB').waitFor()
  await screenshot(page, 'media-forecast')
  await media.json('POST', '/api/settings', { json: { storage_budget_bytes: 100_000_000 } })
  await preview()
  await page.getByText(/it does not fit, even when everything goes that may/).waitFor()
  for (const screen of everyScreen) {
    await showOn(page, screen)
    await assertAccessible(page)
    await screenshot(page, `media-forecast-none-${screen.join('-')}`)
  }
  await page.getByRole('button', { name: 'Download', exact: true }).click()
  await page.getByText(/There is no room for this/).waitFor()
})
