import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertAccessible, browserObstacle, everyScreen, screenshot, showOn } from '@hearth/testing'
import { openBrowserFixture, paste } from './browser-fixture.ts'
import { startPlatform, type Platform } from './platform/platform.ts'

const skip = browserObstacle()

let platform: Platform
before(async () => {
  platform = await startPlatform()
})
after(() => platform[Symbol.asyncDispose]())

test('a playlist is listed, chosen from, downloaded and followed', { skip }, async () => {
  await using place = await openBrowserFixture(platform)
  const { page, media } = place
  await media.json('POST', '/api/settings', { json: { list_spacing_seconds: 3600 } })
  const entry = (id: string, title: string, seconds: number) => ({
    url: platform.page('sound.m4a', { id }),
    title,
    seconds,
    published: '2026-03-01',
  })
  const url = platform.feed('music', [
    entry('a', 'Night drive', 185),
    entry('b', 'Slow water', 241),
    entry('c', 'Dawn over the old harbour (live at the pier)', 330),
  ])
  await page.goto(media.url)
  await page.getByText('Nothing was downloaded yet').waitFor()
  await paste(page, url)
  const list = page.getByRole('region', { name: 'Playlist' })
  await list.getByText('A feed').waitFor()
  await list.getByText('3 entries').waitFor()
  await list.getByRole('checkbox', { name: 'Slow water' }).uncheck()
  for (const screen of everyScreen) {
    await showOn(page, screen)
    await assertAccessible(page)
    await screenshot(page, `media-playlist-${screen.join('-')}`)
  }
  await showOn(page, everyScreen[0]!)
  await list.getByRole('button', { name: 'Follow' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Words of the title').fill('live')
  await dialog.getByLabel('At least, minutes').fill('1:30')
  await dialog.getByRole('button', { name: 'Follow' }).click()
  await dialog.getByText('A number of minutes, such as 10 or 1.5').waitFor()
  await dialog.getByLabel('At least, minutes').fill('')
  await screenshot(page, 'media-follow-dialog')
  await dialog.getByRole('button', { name: 'Follow' }).click()
  await page.getByText('The list is followed').waitFor()
  await list.getByRole('button', { name: 'Download 2 of 3' }).click()
  await page.getByText('2 downloads added').waitFor()
  await page.getByText('1 more download of lists waits to be added').waitFor()
  await page.getByRole('list', { name: 'Downloads' }).getByText('Done', { exact: true }).waitFor()
  await page.goto(`${media.url}/followed`)
  const card = page.getByRole('region', { name: 'A feed' })
  await card.getByText('Only title with live').waitFor()
  await card.getByText('3 known').waitFor()
  for (const screen of everyScreen) {
    await showOn(page, screen)
    await assertAccessible(page)
    await screenshot(page, `media-followed-${screen.join('-')}`)
  }
  await card.getByRole('switch', { name: 'Enabled' }).click({ force: true })
  await card.getByText('Disabled', { exact: true }).waitFor()
  assert.equal(await card.getByRole('button', { name: 'Check now' }).isDisabled(), true)
  await page.getByRole('button', { name: 'Forget' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Forget' }).click()
  await page.getByText('Nothing waits any more').waitFor()
  await card.getByRole('button', { name: 'Unfollow' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Unfollow' }).click()
  await page.getByText('No list is followed').waitFor()
})

test('of many addresses those that are refused stay on the page, each with its reason', { skip }, async () => {
  await using place = await openBrowserFixture(platform)
  const { page, media } = place
  await media.json('POST', '/api/settings', { json: { list_spacing_seconds: 3600 } })
  const good = Array.from({ length: 10 }, (_, index) => platform.page('sound.m4a', { id: `many-${index}` }))
  await page.goto(media.url)
  await page.getByText('Nothing was downloaded yet').waitFor()
  await page.getByLabel('Address of a video').fill([...good, 'https://example.org/one'].join('\n'))
  await page.getByRole('button', { name: 'Download 11 of 11' }).click()
  await page.getByText('10 downloads added, 1 refused').waitFor()
  await page.getByText('1 address refused').waitFor()
  const line = page.getByRole('list', { name: 'Refused addresses' }).getByRole('listitem')
  await line.filter({ hasText: 'example.org/one' }).getByText('This address is of none of the platforms').waitFor()
  for (const screen of everyScreen) {
    await showOn(page, screen)
    await assertAccessible(page)
    await screenshot(page, `media-refused-addresses-${screen.join('-')}`)
  }
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByText('1 address refused').waitFor({ state: 'detached' })
})
