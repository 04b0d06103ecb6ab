import { test } from 'node:test'
import { browserObstacle } from '@hearth/testing'
import type { Locator, Page } from 'playwright-core'
import { openFurnished } from './browser-fixture.ts'

/** Opens a dialog with the keyboard, closes it with Escape, and waits until `back` has the focus. */
async function openAndClose(page: Page, opener: Locator, back = opener): Promise<void> {
  await opener.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').last().waitFor()
  await page.keyboard.press('Escape')
  await waitForFocus(page, back)
}

async function waitForFocus(page: Page, locator: Locator): Promise<void> {
  await locator.and(page.locator(':focus')).waitFor()
}

test('closing a dialog returns the focus to what opened it', { skip: browserObstacle() }, async (t) => {
  await using opened = await openFurnished('/interfaces')
  const { page, fixture } = opened
  await t.test('to a button, for a dialog that is recreated each time', async () => {
    await openAndClose(page, page.getByRole('button', { name: 'Create interface' }).first())
  })
  await t.test('to the menu button, for a removed menu entry', async () => {
    const more = page.getByRole('button', { name: 'More for wg0' })
    await more.click()
    const entry = page.getByRole('menuitem', { name: 'Delete' })
    await entry.waitFor()
    await openAndClose(page, entry, more)
  })
  await t.test('to a row, and to a button in the panel it opened', async () => {
    await page.goto(`${fixture.service.url}/peers`)
    const row = page.getByRole('link', { name: 'Phone' }).first()
    await row.focus()
    await page.keyboard.press('Enter')
    await openAndClose(page, page.getByRole('dialog').getByRole('button', { name: 'Edit' }))
    await page.keyboard.press('Escape')
    await waitForFocus(page, row)
  })
  await t.test('to the page content, for a removed row', async () => {
    await page.getByRole('link', { name: 'Phone' }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete peer' }).click()
    await page.getByRole('link', { name: 'Phone' }).waitFor({ state: 'detached' })
    await waitForFocus(page, page.locator('main'))
  })
})
