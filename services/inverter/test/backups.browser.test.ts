import { join } from 'node:path'
import { test } from 'node:test'
import {
  assertPagesUsable,
  browserObstacle,
  startBrowser,
  startNewService,
  temporaryDirectory,
  wideAndPhone,
} from '@hearth/testing'
import { firstSignIn } from './browser-fixture.ts'

test('the settings page makes a backup and tells how it ended', { skip: browserObstacle() }, async () => {
  await using elsewhere = await temporaryDirectory()
  await using fixture = await startNewService('inverter', { BACKUP_DIR: join(elsewhere.path, 'backups') })
  await using browser = await startBrowser()
  const { page } = browser
  await firstSignIn(fixture, page)
  const url = `${fixture.service.url}/settings`
  await page.goto(url)
  const card = page.getByRole('region', { name: 'Backups' })
  await card.getByRole('button', { name: 'Back up now' }).click()
  await page.getByText(/^Backup verified: [\d.]+ (B|KiB)$/).waitFor()
  await card.getByText('Verified', { exact: true }).waitFor()
  await assertPagesUsable(page, wideAndPhone, { service: 'Inverter', urls: [url] })
})
