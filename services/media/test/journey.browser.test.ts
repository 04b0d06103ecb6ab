import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { assertAccessible, browserObstacle, eventually, startBrowser } from '@hearth/testing'
import type { Page } from 'playwright-core'
import type { Trim } from '../src/trims/schema.ts'
import { knows, startMedia, type Media } from './in-process.ts'
import { startPlatform, type Platform } from './platform/platform.ts'

const skip = browserObstacle()

test('a user’s journey from a pasted URL to a shared file and its removal', { skip }, async () => {
  await using platform = await startPlatform()
  await using media = await startMedia(knows(platform.host))
  await using browser = await startBrowser()
  const { page } = browser
  await page.goto(media.url)
  await page.getByText('Nothing was downloaded yet').waitFor()

  await submit(page, platform)
  await play(page)
  await trim(page, media)
  await share(page)
  await removeAll(page)
})

async function submit(page: Page, platform: Platform): Promise<void> {
  const field = page.getByLabel('Address of a video')
  await field.fill('https://example.org/video')
  await field.press('Enter')
  await page
    .getByText(/platform/i)
    .first()
    .waitFor()
  await field.fill(platform.page('sound.m4a', { title: 'Morning groove', pace: 'held' }))
  await field.press('Enter')
  const row = page.getByRole('listitem', { name: 'Morning groove (1)' })
  await row.waitFor()
  await row.getByRole('progressbar').first().waitFor()
  await eventually(
    () => platform.waiting,
    (count) => count > 0,
    { seconds: 30 },
  )
  platform.release()
  // Nobody loads the page anew: the end is told.
  await row.getByText('120').first().waitFor()
  await assertAccessible(page)
  await row.getByRole('link', { name: 'Morning groove (1)' }).first().click()
  await page.getByRole('heading', { name: 'Morning groove (1)', level: 1 }).waitFor()
  await page.getByRole('region', { name: 'Tempo' }).getByText('120 BPM').waitFor()
}

async function play(page: Page): Promise<void> {
  const place = page.getByRole('slider', { name: 'Place in Morning groove (1)' })
  await page.getByRole('button', { name: 'Play', exact: true }).click()
  await page.getByRole('button', { name: 'Pause' }).waitFor()
  await eventually(
    () => place.getAttribute('aria-valuetext'),
    (text) => text !== null && !text.startsWith('0:00'),
    {
      seconds: 20,
    },
  )
  await page.getByRole('button', { name: 'Pause' }).click()
}

async function trim(page: Page, media: Media): Promise<void> {
  await page.getByLabel('From', { exact: true }).fill('0:02.000')
  await page.getByLabel('From', { exact: true }).press('Tab')
  await page.getByLabel('To', { exact: true }).fill('0:04.500')
  await page.getByLabel('To', { exact: true }).press('Tab')
  await page.getByRole('button', { name: /^Save clip/ }).click()
  const downloading = page.waitForEvent('download')
  await page.getByLabel('Download the clip from 0:02').first().click()
  const download = await downloading
  assert.match(download.suggestedFilename(), /_120bpm_trimmed\.wav$/)
  const bytes = await readFile(await download.path())
  assert.equal(bytes.subarray(0, 4).toString('latin1'), 'RIFF')
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  const list = await media.json<Trim[]>('GET', `/api/trim/${id}`)
  assert.deepEqual(
    list.body.map(({ duration }) => duration),
    [2.5],
  )
}

async function share(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Create link' }).click()
  const link = page.locator('code', { hasText: '/share/' })
  await link.waitFor()
  const address = (await link.textContent()) ?? ''
  const guest = await page.context().browser()!.newContext()
  const landing = await guest.newPage()
  await landing.goto(address)
  const downloading = landing.waitForEvent('download')
  await landing.getByRole('link', { name: 'Download' }).click()
  assert.equal((await downloading).suggestedFilename(), 'Morning groove (1)_120bpm.mp3')
  await guest.close()
}

async function removeAll(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Downloads' }).first().click()
  await page.getByRole('button', { name: 'Remove all downloads' }).click()
  const dialog = page.getByRole('dialog')
  const word = /“(.+)”/.exec((await dialog.getByText(/^Type “/).textContent()) ?? '')?.[1] ?? ''
  assert.equal(await dialog.getByRole('button', { name: 'Remove all' }).isDisabled(), true)
  await dialog.getByRole('textbox').fill(word)
  await dialog.getByRole('button', { name: 'Remove all' }).click()
  await page.getByText('Nothing was downloaded yet').waitFor()
}
