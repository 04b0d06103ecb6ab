import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertUsable, assertUsableOn, browserObstacle, eventually, everyScreen, showOn } from '@hearth/testing'
import type { Page } from 'playwright-core'
import { openFurnished } from './browser-fixture.ts'

const longName = 'A name of a device that is as long as the service lets it be, ok'

/** The names of the peers in the table, from the first row to the last. */
const listed = (page: Page) => page.getByRole('table', { name: 'Peers' }).locator('a.hearth-name').allInnerTexts()

const untilListed = (page: Page, names: string[]) =>
  eventually(
    () => listed(page),
    (found) => found.join() === names.join(),
    { what: `the peers ${names.join()}` },
  )

test(
  'peers are tagged in the form and many at once, found by a tag, and its chip in the list shows the others',
  { skip: browserObstacle() },
  async () => {
    await using opened = await openFurnished('/peers')
    const { page } = opened
    await page.getByRole('link', { name: 'Phone' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Edit' }).click()
    const form = page.getByRole('dialog', { name: 'Edit Phone' })
    await form.getByLabel('Tags').fill('kids')
    await form.getByLabel('Tags').press('Enter')
    await assertUsable(page)
    await form.getByRole('button', { name: 'Save' }).click()
    await form.waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')

    await page.getByRole('checkbox', { name: 'Select Laptop' }).check()
    await page.getByRole('checkbox', { name: `Select ${longName}` }).check()
    const bar = page.getByRole('region', { name: 'Selected peers' })
    await bar.getByText('2 peers selected').waitFor()
    await bar.getByRole('button', { name: 'Add tag' }).click()
    const adding = page.getByRole('dialog', { name: 'Add a tag to 2 peers' })
    await adding.getByLabel('Tag').fill('office <b>')
    await assertUsable(page)
    await adding.getByRole('button', { name: 'Add tag' }).click()
    await adding.waitFor({ state: 'detached' })

    await assertUsableOn(page, everyScreen, {
      ready: page.getByRole('button', { name: 'Peers with the tag office <b>' }).first(),
    })
    await page.getByRole('button', { name: 'Peers with the tag office <b>' }).first().click()
    await untilListed(page, ['Laptop', longName])
    await page.getByRole('combobox', { name: 'Tag' }).selectOption('kids')
    await untilListed(page, ['Phone'])
    await page.getByRole('combobox', { name: 'Tag' }).selectOption('Any tag')
    await untilListed(page, ['Phone', 'Laptop', longName])

    await bar.getByRole('button', { name: 'Remove tag' }).click()
    const removing = page.getByRole('dialog', { name: 'Remove a tag from 2 peers' })
    await removing.getByLabel('Tag').selectOption('office <b>')
    await removing.getByRole('button', { name: 'Remove tag' }).click()
    await page.getByRole('button', { name: 'Peers with the tag office <b>' }).first().waitFor({ state: 'detached' })
  },
)

test(
  'chosen peers are disabled, enabled, given an end and deleted at once, on a phone as well',
  { skip: browserObstacle() },
  async () => {
    await using opened = await openFurnished('/peers')
    const { page } = opened
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
    const bar = page.getByRole('region', { name: 'Selected peers' })
    await bar.getByText('3 peers selected').waitFor()
    await bar.getByRole('button', { name: 'Disable' }).click()
    await page.getByText('3 peers disabled').waitFor()
    assert.equal(await page.getByRole('switch', { checked: true }).count(), 0)
    await bar.getByRole('button', { name: 'Enable' }).click()
    await page.getByText('3 peers enabled').waitFor()
    await bar.getByRole('button', { name: 'Set expiry' }).click()
    const expiry = page.getByRole('dialog', { name: 'When 3 peers expire' })
    await expiry.getByLabel('Expires').fill('2020-01-01T00:00')
    await expiry.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('table').getByText('Expired').nth(2).waitFor()

    await showOn(page, [390, 'dark'])
    await bar.getByRole('button', { name: 'Clear selection' }).click()
    await bar.waitFor({ state: 'detached' })
    await page.getByRole('checkbox', { name: 'Select Phone' }).check()
    await bar.getByText('1 peer selected').waitFor()
    await bar.getByRole('button', { name: 'Select all 3' }).click()
    await bar.getByText('3 peers selected').waitFor()
    await page.getByRole('checkbox', { name: 'Select Laptop' }).uncheck()
    await bar.getByRole('button', { name: 'Delete' }).click()
    const removal = page.getByRole('dialog', { name: 'Delete 2 peers?' })
    assert.match(await removal.innerText(), /Phone[^]*keys[^]*addresses[^]*traffic[^]*DNS rules/)
    await assertUsable(page)
    await removal.getByRole('button', { name: 'Keep' }).click()
    await page.getByRole('checkbox', { name: 'Select Phone' }).waitFor()
    await bar.getByRole('button', { name: 'Delete' }).click()
    await removal.getByRole('button', { name: 'Delete 2 peers' }).click()
    await bar.waitFor({ state: 'detached' })
    await page.getByText('Phone', { exact: true }).waitFor({ state: 'detached' })
    await page.getByText('Laptop', { exact: true }).waitFor()
  },
)

test('somebody who may only read chooses no peers', { skip: browserObstacle() }, async () => {
  await using opened = await openFurnished('/peers')
  const { page, fixture } = opened
  await page.context().clearCookies()
  await page.goto(fixture.service.url)
  await page.getByLabel('User name').fill('reader')
  await page.getByLabel('Password', { exact: true }).fill('tall-giraffe-on-ice-7')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  await page.goto(`${fixture.service.url}/peers`)
  await page.getByText('Laptop').first().waitFor()
  assert.equal(await page.getByRole('checkbox').count(), 0)
})
