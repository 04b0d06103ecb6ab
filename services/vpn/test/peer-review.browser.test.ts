import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { assertUsable, assertUsableOn, browserObstacle, eventually, everyScreen } from '@hearth/testing'
import type { Page } from 'playwright-core'
import { openFurnished } from './browser-fixture.ts'

const day = 86_400_000

const untilListed = (page: Page, names: string[]) =>
  eventually(
    () => page.getByRole('table', { name: 'Peers' }).locator('a.hearth-name').allInnerTexts(),
    (found) => found.join() === names.join(),
    { what: `the peers ${names.join()}` },
  )

test(
  'a peer that expires soon is marked in the list and in its details, and found by the filter',
  { skip: browserObstacle() },
  async () => {
    await using opened = await openFurnished('/peers')
    const { page } = opened
    await page.getByRole('checkbox', { name: 'Select Phone' }).check()
    const bar = page.getByRole('region', { name: 'Selected peers' })
    await bar.getByRole('button', { name: 'Set expiry' }).click()
    const expiry = page.getByRole('dialog', { name: 'When 1 peer expires' })
    const inThreeDays = new Date(Date.now() + 3.5 * day).toISOString().slice(0, 16)
    await expiry.getByLabel('Expires').fill(inThreeDays)
    await expiry.getByRole('button', { name: 'Save' }).click()
    const mark = page.getByText('Expires in 3 days')
    await mark.waitFor()
    await bar.getByRole('button', { name: 'Clear selection' }).click()
    await assertUsableOn(page, everyScreen, { ready: mark, picture: 'vpn-peer-expires' })
    await page.getByRole('combobox', { name: 'Status' }).selectOption('Expires soon')
    await untilListed(page, ['Phone'])
    await page.getByRole('link', { name: 'Phone' }).click()
    await page.getByRole('dialog', { name: 'Phone' }).getByText('Expires in 3 days').waitFor()
    await assertUsable(page)
  },
)

test(
  'peers that were not seen for long are counted, listed, and leave the list when they are disabled',
  { skip: browserObstacle() },
  async () => {
    await using opened = await openFurnished('/peers')
    const { page, fixture } = opened
    assert.equal(await page.getByRole('region', { name: 'Silent peers' }).count(), 0)
    {
      using database = new DatabaseSync(join(String(fixture.environment['DATA_DIR']), 'vpn.db'), { timeout: 10_000 })
      const old = database.prepare('update peers set created_at = ? where name in (?, ?)')
      old.run(Date.now() - 100 * day, 'Phone', 'Laptop')
    }
    await page.reload()
    const silent = page.getByRole('region', { name: 'Silent peers' })
    await silent.getByText('Not seen for 90 days: 2 peers').waitFor()
    await silent.getByRole('button', { name: 'Review' }).click()
    await untilListed(page, ['Phone', 'Laptop'])
    await assertUsableOn(page, everyScreen, { ready: silent, picture: 'vpn-silent-peers' })
    await page.getByRole('checkbox', { name: 'Select Phone' }).check()
    await page.getByRole('region', { name: 'Selected peers' }).getByRole('button', { name: 'Disable' }).click()
    await untilListed(page, ['Laptop'])
    await silent.getByText('Not seen for 90 days: 1 peer').waitFor()
    await silent.getByRole('button', { name: 'Show all peers' }).click()
    await silent.getByText('Not seen for 90 days: 1 peer').waitFor()
    await page.getByRole('link', { name: 'Phone' }).waitFor()
  },
)
