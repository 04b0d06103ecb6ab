import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertUsable, assertUsableOn, browserObstacle, everyScreen, showOn } from '@hearth/testing'
import { openFurnished } from './browser-fixture.ts'

test(
  'the bandwidth of a peer is limited in its form and with others at once, and its page shows the limits',
  { skip: browserObstacle() },
  async () => {
    await using opened = await openFurnished('/peers')
    const { page } = opened
    await page.getByRole('link', { name: 'Phone' }).click()
    const drawer = page.getByRole('dialog', { name: 'Phone' })
    await drawer.getByText('No limit').waitFor()
    await drawer.getByRole('button', { name: 'Edit' }).click()
    const form = page.getByRole('dialog', { name: 'Edit Phone' })
    await form.getByRole('button', { name: 'Advanced' }).click()
    await form.getByLabel('Download limit').fill('20.5')
    assert.match(await form.getByLabel('Download limit').inputValue(), /^20\.5 Mbit\/s$/)
    await form.getByText('limits are kept but have no effect').first().waitFor()
    await assertUsableOn(page, everyScreen, { ready: form.getByLabel('Upload limit'), picture: 'vpn-peer-limits-form' })
    await form.getByRole('button', { name: 'Save' }).click()
    await form.waitFor({ state: 'detached' })
    await drawer.getByText('20.5 Mbit/s down, no limit up').waitFor()
    await drawer.getByText('No effect here: tunnels are simulated.').waitFor()
    await assertUsableOn(page, everyScreen)
    await page.keyboard.press('Escape')

    await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
    const bar = page.getByRole('region', { name: 'Selected peers' })
    await bar.getByRole('button', { name: 'Limit bandwidth' }).click()
    const many = page.getByRole('dialog', { name: 'Bandwidth of 3 peers' })
    await many.getByLabel('Change').selectOption('Upload limit only')
    await many.getByLabel('Upload limit').fill('3')
    await showOn(page, [390, 'dark'])
    await assertUsable(page)
    await many.getByRole('button', { name: 'Save' }).click()
    await page.getByText('3 peers changed').waitFor()
    await showOn(page, [1280, 'light'])
    await page.getByRole('link', { name: 'Phone' }).click()
    await drawer.getByText('20.5 Mbit/s down, 3 Mbit/s up').waitFor()
  },
)
