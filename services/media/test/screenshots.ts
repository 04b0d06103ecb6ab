import { join } from 'node:path'
import { startBrowser } from '@hearth/testing'
import type { Page } from 'playwright-core'
import { startMedia, type Media } from './in-process.ts'
import { startScreenshotPlatform, type Exhibit, type ScreenshotPlatform } from './screenshot-platform.ts'

const house = { kick: 'X---X---X---X---', clap: '----X-------X---', hat: 'o-x-o-x-o-x-o-xg' }
const slow = { kick: 'X-----x---X-----', snare: '----X-------X---', hat: 'o-g-o-g-o-g-o-g-' }
const tones = { bass: 'x--x--x---x--x--', pad: 'X---------------', pluck: '--x---x--x----x-' }

const youtube: readonly Exhibit[] = [
  {
    title: 'Slow water',
    by: 'Low Tide',
    views: 18_211,
    colours: ['0x42275a', '0x734b6d'],
    content: { seconds: 96, tempo: { bpm: 84 }, drums: slow, tones, swing: 0.58 },
  },
  {
    title: 'Dawn over the old harbour (live at the pier)',
    by: 'Harbour Sessions',
    views: 48_903,
    colours: ['0xe96443', '0x904e95'],
    content: { seconds: 118, tempo: { bpm: 96 }, drums: slow, tones },
  },
  {
    title: 'Night drive',
    by: 'Third Floor',
    views: 392_114,
    colours: ['0x2b1055', '0x7597de'],
    content: { seconds: 150, tempo: { bpm: 124 }, drums: house, tones, fillEvery: 8 },
  },
  {
    title: 'Evening set, part two',
    by: 'Harbour Sessions',
    views: 7420,
    colours: ['0x0f2027', '0x2c5364'],
    content: { seconds: 60, tempo: { bpm: 126 }, drums: house, tones },
    takes: 60,
  },
]

const instagram: readonly Exhibit[] = [
  {
    title: 'Coast road at first light',
    by: 'mira.on.the.road',
    views: 2310,
    colours: ['0x134e5e', '0x71b280'],
    content: { filmSeconds: 24 },
  },
]

/** Makes the pictures of the README from a service that fetched music written for the tests. */
export async function takeScreenshots(images: string): Promise<void> {
  await using first = await startScreenshotPlatform('127.0.0.1', youtube)
  await using second = await startScreenshotPlatform('127.0.0.2', instagram)
  await using media = await startMedia({
    EXTRA_PLATFORM_HOSTS: `youtube=${first.host},instagram=${second.host}`,
    OUTBOUND_ALLOW: `${first.host},${second.host}`,
  })
  const nightDrive = await fill(media, first, second)
  await using browser = await startBrowser({
    baseURL: media.url,
    viewport: { width: 1280, height: 960 },
    deviceScaleFactor: 1,
    reducedMotion: 'no-preference',
    colorScheme: 'light',
  })
  const { page } = browser
  const shoot = (name: string) => page.screenshot({ path: join(images, `${name}.png`), caret: 'initial' })
  await page.goto('/')
  await page.getByRole('button', { name: 'I know' }).click()
  await page.getByText(/left$/).waitFor()
  // The last picture has come by then.
  await page.waitForTimeout(1500)
  await shoot('media-downloads')
  await page.goto(`/job/${nightDrive}`)
  await chooseBars(page)
  await shoot('media-workbench')
}

/** Fetches everything, and begins one more download; returns the job the workbench shows. */
async function fill(media: Media, first: ScreenshotPlatform, second: ScreenshotPlatform): Promise<string> {
  const fetchOne = async (address: string, type: 'audio' | 'video' = 'audio') => {
    const job = await media.submit(address, { type })
    await media.reach(job.id, 'analysis_done', 'done')
    return job.id
  }
  await fetchOne(first.page(0))
  await fetchOne(second.page(0), 'video')
  await fetchOne(first.page(1))
  const shown = await fetchOne(first.page(2))
  await media.json('POST', `/api/trim/${shown}`, { json: { start: 15.48, end: 46.45 } })
  const running = await media.submit(first.page(3))
  await media.reach(running.id, 'downloading')
  return shown
}

/** Plays up to somewhere and chooses some bars. */
async function chooseBars(page: Page): Promise<void> {
  const wave = page.locator('.wave')
  await page.getByText('Bars', { exact: true }).click()
  await page.getByText('Loading more detail').waitFor({ state: 'detached' })
  const box = await wave.boundingBox()
  if (box === null) throw new Error('there is no wave')
  await page.mouse.move(box.x + box.width * 0.56, box.y + 60)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width * 0.71, box.y + 60, { steps: 12 })
  await page.mouse.up()
  await page.getByRole('slider', { name: /^Place in/ }).fill('62')
  await page.mouse.move(10, 10)
  await page.waitForTimeout(1500)
}
