import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  assertUsableOn,
  browserObstacle,
  everyScreen,
  settled,
  startBrowser,
  submitSignIn,
  visit,
} from '@hearth/testing'
import { knows, startMedia } from './in-process.ts'
import { startPlatform } from './platform/platform.ts'

test('a podcast feed is made and deleted in the settings', { skip: browserObstacle() }, async () => {
  await using media = await startMedia()
  await using browser = await startBrowser()
  const { page } = browser
  await visit(page, `${media.url}/settings?tab=anywhere`)
  await settled(page)
  await page.getByRole('button', { name: 'Make a feed' }).click()
  const dialog = page.getByRole('dialog', { name: 'Make a feed' })
  await dialog.getByRole('button', { name: 'Make it' }).click()
  await dialog.getByText('Give it a name').waitFor()
  await dialog.getByLabel('Name').fill('Music to practise')
  await dialog.getByRole('button', { name: 'Make it' }).click()
  const line = page.getByRole('list', { name: 'Podcast feeds' }).getByRole('listitem')
  const url = (await line.locator('code').textContent()) ?? ''
  assert.equal((await fetch(url)).status, 200)
  await assertUsableOn(page, everyScreen, { picture: 'media-from-anywhere' })
  await line.getByRole('button', { name: 'Delete Music to practise' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete feed' }).click()
  await line.waitFor({ state: 'detached' })
  assert.equal((await fetch(url)).status, 404)
})

test(
  'the bookmark opens the page with the address of another one in its field',
  { skip: browserObstacle() },
  async () => {
    await using platform = await startPlatform()
    await using media = await startMedia(knows(platform.host))
    await using browser = await startBrowser()
    const { page } = browser
    await visit(page, `${media.url}/settings?tab=anywhere`)
    const bookmark = await page.getByText('Send to Media').getAttribute('href')
    assert.match(bookmark ?? '', /^javascript:/)
    const address = platform.page('sound.opus', { id: 'marked', title: 'Marked & found' })
    await page.goto(address)
    const opening = page.context().waitForEvent('page')
    await page.evaluate(`window.location.assign(${JSON.stringify(bookmark)})`)
    const opened = await opening
    const field = opened.getByRole('textbox', { name: 'Address of a video' })
    await field.waitFor()
    assert.equal(await field.inputValue(), address)
    await opened.getByRole('button', { name: 'Download', exact: true }).click()
    await opened
      .getByRole('link', { name: /Marked & found/ })
      .first()
      .waitFor()
  },
)

test('what the address of a page says is decoded once', { skip: browserObstacle() }, async () => {
  await using media = await startMedia()
  await using browser = await startBrowser()
  const { page } = browser
  await visit(page, `${media.url}/security-log?q=%2541`)
  await settled(page)
  assert.equal(await page.getByRole('searchbox').inputValue(), '%41')
})

test('an address that is shared before the sign-in is in the field after it', { skip: browserObstacle() }, async () => {
  await using media = await startMedia()
  const json = { enable_authentication: true, admin_username: 'ada', admin_password: 'tall-giraffe-on-ice-7' }
  assert.equal((await media.json('POST', '/api/settings', { json })).status, 200)
  await using browser = await startBrowser()
  const { page } = browser
  const address = 'https://www.youtube.com/watch?v=aaaaaaaaaaa&list=1'
  await visit(page, `${media.url}/?url=${encodeURIComponent(address)}`)
  await submitSignIn(page, 'ada', 'tall-giraffe-on-ice-7')
  const field = page.getByRole('textbox', { name: 'Address of a video' })
  await field.waitFor()
  assert.equal(await field.inputValue(), address)
  for (const elsewhere of ['//example.org/', '/\\example.org', 'https://example.org/']) {
    await page.goto(`${media.url}/login?next=${encodeURIComponent(elsewhere)}`)
    assert.equal(page.url(), `${media.url}/`, elsewhere)
  }
})
