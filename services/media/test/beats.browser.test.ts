import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { assertAccessible, browserObstacle, eventually, everyScreen, screenshot, showOn } from '@hearth/testing'
import { analyserVersion } from '../src/analysis/analyse-audio.ts'
import { openBrowserFixture } from './browser-fixture.ts'
import { startPlatform, type Platform } from './platform/platform.ts'

const skip = browserObstacle()

let platform: Platform
before(async () => {
  platform = await startPlatform()
})
after(() => platform[Symbol.asyncDispose]())

/** Beats of a sound of 12 seconds that gets faster, four a bar. */
function driftingGrid() {
  const beats: number[] = []
  for (let time = 0.5; time < 11.8; time += 0.5 - 0.01 * time) beats.push(Math.round(time * 1000) / 1000)
  const downbeats = beats.flatMap((_, index) => (index % 4 === 0 ? [index] : []))
  const curve = [0.5, 3, 6, 9, 11].map((at) => ({ at, bpm: 60 / (0.5 - 0.01 * at) }))
  return { bpm: 136.5, metre: 4, beats, downbeats, curve }
}

test('the job page shows metre, beats and bars, and the tempo over time where it drifts', { skip }, async () => {
  await using place = await openBrowserFixture(platform)
  const { page, media } = place
  const { id } = await media.submit(platform.page('sound.m4a', { title: 'Steady' }))
  const { bpm } = await media.reach(id, 'analysis_done')

  let isBroken = true
  await page.route('**/api/jobs/*/beats', async (route) => {
    if (!isBroken) return route.continue()
    return route.fulfill({ status: 503, contentType: 'application/json', body: '{"detail":"Too much at once"}' })
  })
  await page.goto(`${media.url}/job/${id}`)
  const card = page.getByRole('region', { name: 'Tempo' })
  await card.getByText('The beats were not found: Too much at once').waitFor()
  isBroken = false
  // It may be asked for again by itself meanwhile; then there is no button any more.
  await eventually(
    async () => {
      await card
        .getByRole('button', { name: 'Try again' })
        .click({ timeout: 1000 })
        .catch(() => undefined)
      return card.getByText(/^\d+ beats in \d+ bars$/).count()
    },
    (count) => count === 1,
    { seconds: 60 },
  )
  await card.getByText(/^\d\/[48]$/).waitFor()
  assert.equal(await card.getByText('The tempo drifts').count(), 0)
  const downloading = page.waitForEvent('download')
  await card.getByRole('link', { name: 'Download beats (JSON)' }).click()
  assert.equal((await downloading).suggestedFilename(), `beats-${id}.json`)

  const kept = { version: analyserVersion, wanted: bpm, grid: driftingGrid() }
  await writeFile(join(media.folder, 'artifacts', id, 'beats.json'), JSON.stringify(kept))
  await page.reload()
  await card.getByText('The tempo drifts between 121 and 154 BPM.').waitFor()
  await card.getByText('4/4').waitFor()
  for (const screen of everyScreen) {
    await showOn(page, screen)
    await card.waitFor()
    await assertAccessible(page)
    await screenshot(page, `media-beats-${screen.join('-')}`)
  }

  // As after a restart in the middle of its analysis, while no worker has taken it yet.
  const later = Date.now() + 3_600_000
  const postponed = { status: 'done', bpm: null, analysis_wanted_at: later, analysis_lease_until: later } as const
  await media.service.app.core.database.query.updateTable('jobs').set(postponed).where('id', '=', id).execute()
  await page.reload()
  await card.getByText('Finding the tempo').waitFor()
  assert.equal(await card.getByText('The tempo was not looked for').count(), 0)
})
