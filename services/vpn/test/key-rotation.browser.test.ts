import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertUsableOn, browserObstacle, everyScreen } from '@hearth/testing'
import { openFurnished } from './browser-fixture.ts'

test(
  'the key of a peer is replaced: the new one is handed out and waits, and the old one can be kept',
  { skip: browserObstacle() },
  async () => {
    await using opened = await openFurnished('/peers')
    const { page } = opened
    await page.getByRole('link', { name: 'Phone' }).click()
    const drawer = page.getByRole('dialog', { name: 'Phone' })
    const section = drawer.getByRole('region', { name: 'New key' })
    await section.getByRole('button', { name: 'Replace the key' }).click()
    const form = page.getByRole('dialog', { name: 'Replace the key of Phone' })
    await form.getByLabel('The old key stops after').fill('3')
    await assertUsableOn(page, everyScreen, { ready: form, picture: 'vpn-key-rotation-form' })
    await form.getByRole('button', { name: 'Make a new key' }).click()
    await page.getByRole('img', { name: 'QR code with the configuration of Phone' }).waitFor()
    await page.keyboard.press('Escape')
    await section.getByText('Waiting for the device').waitFor()
    await section.getByText('stops in 3 days', { exact: false }).waitFor()
    await section.scrollIntoViewIfNeeded()
    await assertUsableOn(page, everyScreen, { ready: section, picture: 'vpn-key-rotation' })
    await section.getByRole('button', { name: 'Keep the old key' }).click()
    await section.getByRole('button', { name: 'Replace the key' }).click()

    await form.getByLabel('Make the new key in this browser').check()
    await form.getByRole('button', { name: 'Make a new key' }).click()
    await page.getByText('was made in this browser', { exact: false }).waitFor()
    await page.getByRole('img', { name: 'QR code with the configuration of Phone' }).waitFor()
    await page.getByRole('button', { name: 'I have it' }).click()
    await section.getByText('Waiting for the device').waitFor()
    await drawer.getByText('The private key is on the device only', { exact: false }).waitFor()
    assert.equal(await drawer.getByRole('button', { name: 'Make a link' }).count(), 0)
  },
)
