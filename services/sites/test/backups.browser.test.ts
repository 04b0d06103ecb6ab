import assert from 'node:assert/strict'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createFastTimers } from '@hearth/runtime'
import { assertUsableOn, browserObstacle, everyScreen, settled, temporaryDirectory, visit } from '@hearth/testing'
import { openPlace, type Place } from './browser-place.ts'

const skip = browserObstacle()

/** Opens the settings of a service as its administrator. */
async function openSettings(place: Place): Promise<void> {
  const admin = await place.sites.signIn()
  const cookies = [...admin.cookies].map(([name, value]) => ({ name, value, url: place.sites.url }))
  await place.browser.context.addCookies(cookies)
  await visit(place.page, `${place.sites.url}/settings`)
  await settled(place.page)
}

test('the settings page makes a backup and tells how it ended', { skip }, async () => {
  await using elsewhere = await temporaryDirectory()
  const directory = join(elsewhere.path, 'backups')
  // Time passes slowly, so that the service makes no backup by itself.
  const timers = createFastTimers(0.05, Date.now())
  await using place = await openPlace({ timers }, { BACKUP_DIR: directory })
  const { page } = place
  await openSettings(place)
  const card = page.getByRole('region', { name: 'Backups' })
  await card.getByText('No backup yet').waitFor()
  await card.getByText('the newest of each of 7 days, 4 weeks and 6 months').waitFor()
  await card.getByRole('button', { name: 'Back up now' }).click()
  await page.getByText(/^Backup verified: [\d.]+ (B|KiB)$/).waitFor()
  await card.getByText('Verified', { exact: true }).waitFor()
  await card.getByText(/rows verified/).waitFor()
  assert.equal((await readdir(directory)).length, 1)
  await assertUsableOn(place.page, everyScreen, { picture: 'sites-backup-verified' })

  await rm(directory, { recursive: true })
  await writeFile(directory, '')
  await card.getByRole('button', { name: 'Back up now' }).click()
  await card.getByText('The last backup failed').waitFor()
  await card.getByText(/ENOTDIR|EEXIST/).waitFor()
  await card.getByText('Failed', { exact: true }).waitFor()
  await assertUsableOn(place.page, everyScreen, { picture: 'sites-backup-failed' })

  await rm(directory)
  await mkdir(directory)
  await card.getByRole('button', { name: 'Back up now' }).click()
  await card.getByText('Verified', { exact: true }).waitFor()
  assert.equal(await card.getByText('The last backup failed').count(), 0)
})

test('without a directory the settings page says how to set one', { skip }, async () => {
  await using place = await openPlace()
  await openSettings(place)
  const card = place.page.getByRole('region', { name: 'Backups' })
  await card.getByText('BACKUP_DIR=/var/backups/hearth').waitFor()
  assert.equal(await card.getByRole('button').count(), 0)
  await assertUsableOn(place.page, everyScreen, { picture: 'sites-backup-none' })
})
