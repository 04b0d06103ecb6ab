import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { assertUsable, assertUsableOn, browserObstacle, everyScreen } from '@hearth/testing'
import type { Page } from 'playwright-core'
import { openFurnished } from './browser-fixture.ts'

async function choose(page: Page, text: string): Promise<void> {
  const buffer = Buffer.from(text)
  await page.locator('input[type=file]').setInputFiles({ name: 'peers.csv', mimeType: 'text/csv', buffer })
  await page.getByRole('dialog').getByRole('button', { name: 'Check file' }).click()
}

test(
  'peers are imported from a file: problems by line first, then all of them with their links',
  { skip: browserObstacle() },
  async () => {
    await using opened = await openFurnished('/peers')
    const { page, fixture } = opened
    await page.getByRole('button', { name: 'Import' }).click()
    const dialog = page.getByRole('dialog', { name: 'Import peers' })
    await dialog.getByLabel('CSV file').first().waitFor()
    await assertUsableOn(page, everyScreen)
    await choose(page, 'name,secret\na,b')
    await dialog.getByText(/unknown column “secret”/).waitFor()
    await choose(page, 'name,tags,expires\nTablet,kids,2099-01-01\nPhone,,\nTV,,soon\n')
    await dialog.getByText('2 lines of 3 cannot be used').waitFor()
    await dialog.getByText(/name: The name Phone is taken/).waitFor()
    await dialog.getByText(/^expires: /).waitFor()
    assert.equal(await dialog.getByRole('button', { name: 'Create 3 peers' }).isDisabled(), true)
    await assertUsableOn(page, everyScreen)
    await dialog.getByRole('button', { name: 'Choose another file' }).click()
    await choose(page, 'name,tags\nTablet,kids;home\n=1+1,\n')
    await dialog.getByText('2 peers can be created.').waitFor()
    await dialog.getByRole('button', { name: 'Create 2 peers' }).click()
    await dialog.getByText(/2 peers created. Save the list/).waitFor()
    await assertUsable(page)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Save links' }).click(),
    ])
    const [heading, first = '', second = ''] = (await readFile(await download.path(), 'utf8')).split('\r\n')
    assert.equal(heading, 'name,set-up link')
    assert.match(first, new RegExp(`^Tablet,${fixture.service.url}/setup#[\\w-]{43}$`))
    assert.match(second, /^'=1\+1,/)
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
    await page.getByText('Tablet').first().waitFor()
    await page.goto(first.split(',')[1] ?? '')
    await page.getByRole('button', { name: 'Show configuration' }).click()
    await page.getByRole('heading', { name: 'Tablet' }).waitFor()
  },
)
