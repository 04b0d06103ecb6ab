import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertAccessible, assertUsableOn, browserObstacle, eventually, everyScreen, screenshot } from '@hearth/testing'
import type { Page } from 'playwright-core'
import { addLibraryItems, createRandom } from '../bench/scenario/library-items.ts'
import { openBrowserFixture } from './browser-fixture.ts'
import { finishedJob } from './job-row.ts'
import { startPlatform } from './platform/platform.ts'

const skip = browserObstacle()

const stored = [
  { video_title: 'Morning groove', artist: 'Third Floor', bpm: 122, musical_key: 14, created_at: 3000 },
  { video_title: 'Evening groove', artist: 'Third Floor', bpm: 98, musical_key: 3, created_at: 2000 },
  { video_title: 'A talk about bees', type: 'video', channel: 'Garden', created_at: 1000 },
] as const

test('downloads are found, tagged, collected and deleted in the library', { skip }, async () => {
  await using platform = await startPlatform()
  await using fixture = await openBrowserFixture(platform)
  const { media, page } = fixture
  await page.goto(`${media.url}/library`)
  await page.getByText('The library is empty').waitFor()
  await media.service.app.core.database.query
    .insertInto('jobs')
    .values(stored.map((row) => finishedJob(row)))
    .execute()
  await page.reload()
  await shows(page, ['Morning groove', 'Evening groove', 'A talk about bees'])
  await assertAccessible(page)

  await page.getByRole('searchbox', { name: 'Search titles, artists and tags' }).fill('third gro')
  await shows(page, ['Morning groove', 'Evening groove'])
  await narrow(page)
  await tag(page)
  await collect(page)
  await remove(page)
})

const shows = (page: Page, titles: readonly string[]) =>
  eventually(
    async () => page.getByRole('list', { name: 'Library' }).locator('.cover-title').allTextContents(),
    (found) => JSON.stringify(found) === JSON.stringify(titles),
    { seconds: 15 },
  )

const choose = (page: Page, title: string) => page.getByRole('checkbox', { name: `Choose ${title}` }).check()

async function narrow(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Filters' }).click()
  await page.getByLabel('Tempo from').fill('120')
  await page.keyboard.press('Escape')
  await shows(page, ['Morning groove'])
  assert.match(page.url(), /q=third\+gro&bpm=120-/)
  await page.reload()
  await shows(page, ['Morning groove'])
  await page.getByRole('button', { name: 'Remove the filter from 120 BPM' }).click()
  await page.getByRole('searchbox').fill('')
  await shows(page, ['Morning groove', 'Evening groove', 'A talk about bees'])
}

async function tag(page: Page): Promise<void> {
  await choose(page, 'Morning groove')
  await choose(page, 'Evening groove')
  await page.getByRole('button', { name: 'Tags', exact: true }).click()
  await page.getByRole('dialog').getByLabel('Tags that all of them have').fill('Warm Up,')
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Only with the tag warm up, 2' }).click()
  await shows(page, ['Morning groove', 'Evening groove'])
  await page.getByRole('button', { name: 'Remove the filter #warm up' }).click()
  await page.getByRole('button', { name: 'Choose nothing' }).click()
}

async function collect(page: Page): Promise<void> {
  await choose(page, 'A talk about bees')
  await choose(page, 'Evening groove')
  await page.getByRole('button', { name: 'Collect' }).click()
  await page.getByRole('dialog').getByLabel('Collection').fill('For Sunday')
  await page.getByRole('button', { name: 'Make it, and add' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('combobox', { name: 'Collection' }).selectOption({ label: 'For Sunday (2)' })
  // In the order they were chosen.
  await shows(page, ['A talk about bees', 'Evening groove'])
  await choose(page, 'A talk about bees')
  await page.getByRole('button', { name: 'Take out' }).click()
  await shows(page, ['Evening groove'])
  await page.getByRole('combobox', { name: 'Collection' }).selectOption({ label: 'Everything' })
}

async function remove(page: Page): Promise<void> {
  await shows(page, ['Morning groove', 'Evening groove', 'A talk about bees'])
  await choose(page, 'Evening groove')
  const bar = page.getByRole('region', { name: 'Chosen downloads' })
  await bar.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await shows(page, ['Morning groove', 'A talk about bees'])
  await page.getByText('2 downloads', { exact: true }).waitFor()
}

test('a large library is shown page by page, as covers and as a list, on a phone too', { skip }, async () => {
  await using platform = await startPlatform()
  await using fixture = await openBrowserFixture(platform)
  const { media, page } = fixture
  await addLibraryItems(media.service.app.core.database.query, 1500, createRandom(5))
  await page.goto(`${media.url}/library`)
  const items = page.getByRole('list', { name: 'Library' }).locator('> li')
  await page.getByText('More than 1,000 downloads').waitFor()
  assert.equal(await items.count(), 60)
  await assertUsableOn(page, everyScreen, { picture: 'media-library-covers' })
  await page.getByRole('button', { name: 'Show more' }).click()
  await eventually(
    () => items.count(),
    (count) => count === 120,
    { seconds: 15 },
  )
  await page.getByText('List', { exact: true }).click()
  await page.locator('.library-list').waitFor()
  await items.first().getByRole('checkbox').check()
  await page.getByRole('button', { name: 'All shown' }).click()
  await page.getByText('120 chosen').waitFor()
  await assertAccessible(page)
  await screenshot(page, 'media-library-list')
})
