import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { assertAccessible, browserObstacle, eventually, screenshot, startBrowser } from '@hearth/testing'
import type { Page } from 'playwright-core'
import type { Share } from '../src/shares/schema.ts'
import { knows, startMedia, type Media } from './in-process.ts'
import { startPlatform, type Platform } from './platform/platform.ts'

const skip = browserObstacle()

/** A page that asserts its policy: whatever it refuses is remembered. */
async function openVisitor() {
  const browser = await startBrowser({ colorScheme: 'light', viewport: { width: 390, height: 700 } })
  const refused: string[] = []
  browser.page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) refused.push(message.text())
  })
  return { page: browser.page, refused, [Symbol.asyncDispose]: () => browser[Symbol.asyncDispose]() }
}

const createShare = async (media: Media, json: object) =>
  (await media.json<Share>('POST', '/api/shares', { json })).body
const read = async (media: Media, { id }: Share) =>
  (await media.json<Share[]>('GET', '/api/shares')).body.find((share) => share.id === id)

async function twoFiles(platform: Platform, media: Media): Promise<[sound: string, video: string]> {
  const sound = await media.submit(platform.page('sound.m4a', { title: 'A very long title, '.repeat(6).trim() }))
  const video = await media.submit(platform.page('video.mp4', { id: 'film', title: 'A film' }), { type: 'video' })
  await media.reach(sound.id, 'analysis_done')
  await media.reach(video.id, 'done')
  return [sound.id, video.id]
}

/** Looks at a page wide and narrow, in both schemes. */
async function lookAt(page: Page, address: string, name: string): Promise<void> {
  for (const width of [1280, 390])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 800 })
      await page.emulateMedia({ colorScheme })
      await page.goto(address)
      // Its own style got past its policy.
      const background = await page.evaluate('getComputedStyle(document.body).backgroundColor')
      assert.equal(background, colorScheme === 'light' ? 'rgb(247, 245, 241)' : 'rgb(23, 21, 18)')
      assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)
      await page.waitForLoadState('networkidle')
      await assertAccessible(page)
      await screenshot(page, `media-share-${name}-${width}-${colorScheme}`)
    }
}

test('a visitor sees the file, plays and seeks in its wave and saves it, which is one use', { skip }, async () => {
  await using platform = await startPlatform()
  await using media = await startMedia(knows(platform.host))
  const [sound] = await twoFiles(platform, media)
  const share = await createShare(media, { job_ids: [sound] })
  await using visitor = await openVisitor()
  const { page, refused } = visitor
  await lookAt(page, share.url, 'offer')
  await lookAt(page, `${media.url}/share/nothing-at-all`, 'nothing')
  assert.ok(await page.getByRole('heading', { name: 'There is nothing here' }).isVisible())

  await page.goto(share.url)
  assert.match(await page.title(), /^A very long title/)
  await page.locator('.wave svg').waitFor()
  assert.equal((await read(media, share))?.uses, 0)
  await page.evaluate('document.querySelector("audio").play()')
  const timeOf = () => page.evaluate<number>('document.querySelector("audio").currentTime')
  const seconds = await eventually(timeOf, (time) => time > 0.2)
  assert.ok(seconds < 12)
  const { width = 0, height = 0 } = (await page.locator('.wave').boundingBox()) ?? {}
  await page.locator('.wave').click({ position: { x: width * 0.75, y: height / 2 } })
  await eventually(timeOf, (time) => time > 8.9)
  // The wave follows the next time that the player tells.
  const playedWidth = async () => Number(await page.locator('.wave rect').getAttribute('width'))
  await eventually(playedWidth, (played) => played > 240 * 0.7, { what: 'the played part of the wave' })
  const downloading = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download' }).click()
  const download = await downloading
  assert.match(download.suggestedFilename(), /^A very long title.*\.mp3$/)
  const own = Buffer.from(await (await media.call('GET', `/download/${sound}`)).arrayBuffer())
  assert.ok((await readFile(await download.path())).equals(own))
  assert.equal((await read(media, share))?.uses, 1)
  assert.deepEqual(refused, [])
})

test('a visitor enters the password and finds several files, of which one plays at a time', { skip }, async () => {
  await using platform = await startPlatform()
  await using media = await startMedia(knows(platform.host))
  const [sound, video] = await twoFiles(platform, media)
  const share = await createShare(media, { job_ids: [sound, video], name: 'The demo', password: 'open sesame' })
  await using visitor = await openVisitor()
  const { page, refused } = visitor
  await lookAt(page, share.url, 'password')
  // The address of a file asks for it, too.
  await page.goto(`${share.url}/2`)
  await page.getByLabel('Password').fill('wrong one')
  await page.getByRole('button', { name: 'Open' }).click()
  await page.getByText('The password is wrong.').waitFor()
  await assertAccessible(page)
  await page.getByLabel('Password').fill('open sesame')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'The demo' }).waitFor()
  assert.equal(page.url(), share.url)
  await lookAt(page, share.url, 'files')
  assert.deepEqual(await page.getByRole('heading', { level: 2 }).count(), 2)
  await page.evaluate('document.querySelector("audio").play()')
  await page.evaluate('document.querySelector("video").play()')
  await eventually(
    () => page.evaluate<boolean[]>('[...document.querySelectorAll("audio, video")].map(({ paused }) => paused)'),
    ([isPaused, isOtherPaused]) => isPaused === true && isOtherPaused === false,
  )
  for (const [name, file] of [
    ['Download A very long title', /\.mp3$/],
    ['Download A film', /^A film.*\.mp4$/],
  ] as const) {
    const downloading = page.waitForEvent('download')
    await page.getByRole('link', { name }).click()
    assert.match((await downloading).suggestedFilename(), file)
  }
  assert.equal((await read(media, share))?.uses, 1)
  // The page of a password was refused nothing, and its cookie goes nowhere else.
  const cookies = await page.context().cookies(`${media.url}/api/jobs`)
  assert.deepEqual(cookies, [])
  assert.deepEqual(refused, [])
})
