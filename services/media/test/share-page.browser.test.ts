import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { assertAccessible, browserObstacle, eventually, screenshot, startBrowser } from '@hearth/testing'
import type { ShareLink } from '../src/shares/schema.ts'
import { knows, startMedia } from './in-process.ts'
import { startPlatform } from './platform/platform.ts'

test(
  'a visitor of a link sees the file’s details, plays it and saves it, which is one use',
  { skip: browserObstacle() },
  async () => {
    await using platform = await startPlatform()
    await using media = await startMedia(knows(platform.host))
    const job = await media.submit(platform.page('sound.m4a', { title: 'A very long title, '.repeat(6).trim() }))
    await media.reach(job.id, 'analysis_done')
    const share = async () => (await media.json<ShareLink>('POST', `/api/share/${job.id}`)).body
    const { url } = await share()
    await using browser = await startBrowser({ colorScheme: 'light', viewport: { width: 390, height: 700 } })
    const { page } = browser

    for (const colorScheme of ['light', 'dark'] as const)
      for (const address of [url, `${media.url}/share/nothing-at-all`]) {
        await page.emulateMedia({ colorScheme })
        await page.goto(address)
        // Its own style got past its policy.
        const background = await page.evaluate('getComputedStyle(document.body).backgroundColor')
        assert.equal(background, colorScheme === 'light' ? 'rgb(247, 245, 241)' : 'rgb(23, 21, 18)')
        assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)
        await assertAccessible(page)
        await screenshot(page, `media-share-${address === url ? 'offer' : 'nothing'}-${colorScheme}`)
      }
    assert.ok(await page.getByRole('heading', { name: 'There is nothing here' }).isVisible())

    await page.goto(url)
    assert.match(await page.title(), /^A very long title/)
    assert.equal((await share()).uses, 0)
    await page.evaluate('document.querySelector("audio").play()')
    const seconds = await eventually(
      () => page.evaluate<number>('document.querySelector("audio").currentTime'),
      (time) => time > 0.2,
    )
    assert.ok(seconds < 12)
    await page.evaluate('document.querySelector("audio").currentTime = 9')
    await eventually(
      () => page.evaluate<number>('document.querySelector("audio").currentTime'),
      (time) => time > 9,
    )
    const downloading = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download' }).click()
    const download = await downloading
    assert.match(download.suggestedFilename(), /^A very long title.*\.mp3$/)
    const own = Buffer.from(await (await media.call('GET', `/download/${job.id}`)).arrayBuffer())
    assert.ok((await readFile(await download.path())).equals(own))
    assert.equal((await share()).uses, 1)
  },
)
