import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browserObstacle, eventually, signIn, startBrowser, submitSignIn } from '@hearth/testing'
import type { Locator, Page } from 'playwright-core'
import { readHostNetworks } from '../src/interfaces/host-networks.ts'
import { firstSignIn, openFurnished, password } from './browser-fixture.ts'
import { startNamesFixture, untilLogged } from './names-fixture.ts'

/** The dialog on top, by its title. */
const dialogOf = (page: Page, title: string | RegExp): Locator => page.getByRole('dialog', { name: title })

test(
  'an interface is edited, stopped, started and deleted, naming the peers that are lost',
  { skip: browserObstacle() },
  async () => {
    await using opened = await openFurnished('/interfaces')
    const { page } = opened
    await page.getByRole('button', { name: 'More for wg0' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    await dialogOf(page, 'Edit wg0').getByLabel('UDP port').fill('51999')
    await dialogOf(page, 'Edit wg0').getByRole('button', { name: 'Save' }).click()
    await dialogOf(page, 'Edit wg0').waitFor({ state: 'detached' })
    await page.getByRole('cell', { name: '51999' }).waitFor()
    await page.getByRole('button', { name: 'Stop wg0' }).click()
    await page.getByRole('button', { name: 'Start wg0' }).click()
    await page.getByRole('button', { name: 'Stop wg0' }).waitFor()
    await page.getByRole('button', { name: 'More for wg0' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    const removal = dialogOf(page, 'Delete wg0?')
    assert.match(await removal.innerText(), /3 peers|Laptop/)
    assert.match(await removal.innerText(), /traffic history, DNS rules and entries in the query log/)
    await removal.getByRole('button', { name: 'Keep' }).click()
    await page.getByRole('cell', { name: '51999' }).waitFor()
    await page.getByRole('button', { name: 'More for wg0' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await removal.getByRole('button', { name: /^Delete/ }).click()
    await removal.waitFor({ state: 'detached' })
    await page.getByRole('cell', { name: '51999' }).waitFor({ state: 'detached' })
  },
)

test(
  'a network of the host is refused, and accepted after confirmation; addresses fit the network',
  { skip: browserObstacle() },
  async (context) => {
    const own = (await readHostNetworks()).find(({ network }) => !network.includes(':') && !network.endsWith('/32'))
    if (own === undefined) return context.skip('this host is in no IPv4 network')
    await using opened = await openFurnished('/interfaces')
    const { page } = opened
    await page.getByRole('button', { name: 'More for wg0' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    const dialog = dialogOf(page, 'Edit wg0')
    const address = await dialog.getByLabel('IPv4 network').inputValue()
    await dialog.getByLabel('IPv4 network').fill(own.network.replace(/\d+\/\d+$/, '9/24'))
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByLabel('Use this network anyway').waitFor()
    assert.match(await dialog.innerText(), new RegExp(`over ${own.device}`))
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.goto(new URL('/peers', page.url()).href)
    await page.getByRole('button', { name: 'Add peer' }).first().click()
    const adding = dialogOf(page, 'Add peer')
    await adding.getByRole('button', { name: 'Advanced' }).click()
    const prefix = address.split('.').slice(0, 3).join('.')
    await adding.getByPlaceholder(new RegExp(`^${prefix.replaceAll('.', '\\.')}\\.`)).waitFor()
  },
)

test('a peer is disabled, renamed and deleted', { skip: browserObstacle() }, async () => {
  await using opened = await openFurnished('/peers')
  const { page } = opened
  const row = page.getByRole('row').filter({ hasText: 'Laptop' })
  await row.getByRole('switch', { name: 'Laptop may connect' }).press('Space')
  await row.getByText('Disabled').waitFor()
  await row.getByRole('link', { name: 'Laptop' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Edit' }).click()
  await dialogOf(page, 'Edit Laptop').getByLabel('Name').fill('Phone')
  await dialogOf(page, 'Edit Laptop').getByRole('button', { name: 'Save' }).click()
  await dialogOf(page, 'Edit Laptop')
    .getByText(/is taken/)
    .waitFor()
  await dialogOf(page, 'Edit Laptop').getByLabel('Name').fill('Old laptop')
  await dialogOf(page, 'Edit Laptop').getByRole('button', { name: 'Save' }).click()
  await dialogOf(page, 'Old laptop').getByRole('button', { name: 'Delete' }).click()
  const removal = dialogOf(page, 'Delete Old laptop?')
  assert.match(await removal.innerText(), /traffic counters and history[^]*DNS rules[^]*query log/)
  await removal.getByRole('button', { name: 'Delete peer' }).click()
  await page.getByRole('row').filter({ hasText: 'Old laptop' }).waitFor({ state: 'detached' })
  await page.getByRole('row').filter({ hasText: 'Phone' }).waitFor()
})

test('the delete dialog of a peer counts what is deleted with it', { skip: browserObstacle() }, async () => {
  await using fixture = await startNamesFixture()
  await using browser = await startBrowser()
  const { page } = browser
  const rules = ['one.example', 'two.example']
  for (const domain of rules) await fixture.call('POST', '/api/dns/rules', { action: 'block', domain, client: 'Phone' })
  await fixture.call('POST', '/api/dns/rules', { action: 'block', domain: 'three.example' })
  await fixture.look('one.example', 'four.example', 'five.example')
  await untilLogged(fixture, 3)
  await firstSignIn(fixture, page)
  for (const [name, losses] of [
    ['Phone', /Its 2 DNS rules\n+Its 3 entries in the query log/],
    ['Laptop', /Its 0 DNS rules\n+Its 0 entries in the query log/],
  ] as const) {
    await page.goto(`${fixture.service.url}/peers`)
    await page.getByRole('link', { name }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    const removal = dialogOf(page, `Delete ${name}?`)
    await eventually(
      () => removal.innerText(),
      (text) => losses.test(text),
      { what: `what is lost with ${name}` },
    )
  }
  const removal = dialogOf(page, 'Delete Laptop?')
  await removal.getByRole('button', { name: 'Delete peer' }).click()
  await page.getByRole('row').filter({ hasText: 'Laptop' }).waitFor({ state: 'detached' })
})

test(
  'a user is added, signs in, changes the password, is promoted and deleted',
  { skip: browserObstacle() },
  async () => {
    await using opened = await openFurnished('/users')
    const { fixture, page } = opened
    await page.getByRole('button', { name: 'Add user' }).click()
    const added = dialogOf(page, 'Add user')
    await added.getByLabel('User name').fill('marie')
    await added.getByLabel('E-mail').fill('marie@example.org')
    await added.getByLabel('First password').fill('quiet-otter-in-rain-3')
    await added.getByLabel(/Ask for a new password/).setChecked(false)
    await added.getByRole('button', { name: 'Add user' }).click()
    await added.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Edit marie' }).click()
    await dialogOf(page, 'Edit marie').getByLabel('Role').selectOption('admin')
    await dialogOf(page, 'Edit marie').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('row').filter({ hasText: 'marie' }).getByText('Administrator').waitFor()

    await page.context().clearCookies()
    await page.goto(fixture.service.url)
    await signIn(page, 'marie', 'quiet-otter-in-rain-3')
    await page.goto(`${fixture.service.url}/profile`)
    await page.getByRole('button', { name: 'Change password' }).click()
    const change = dialogOf(page, 'Change password')
    await change.getByLabel('Current password').fill('quiet-otter-in-rain-3')
    await change.getByLabel('New password', { exact: true }).fill('calm-badger-at-dusk-9')
    await change.getByLabel('New password again').fill('calm-badger-at-dusk-9')
    await change.locator('button[type=submit]').click()
    await change.waitFor({ state: 'detached' })

    await page.context().clearCookies()
    await page.goto(`${fixture.service.url}/users`)
    await submitSignIn(page, 'admin', password)
    await page.getByRole('button', { name: 'Delete marie' }).click()
    await dialogOf(page, 'Delete marie?').getByRole('button', { name: 'Delete user' }).click()
    await page.getByRole('row').filter({ hasText: 'marie' }).waitFor({ state: 'detached' })
  },
)

test('settings are saved, and errors appear beside their fields', { skip: browserObstacle() }, async () => {
  await using opened = await openFurnished('/settings')
  const { page } = opened
  await page.getByLabel('Public endpoint').fill('http://wrong')
  await page.getByRole('button', { name: 'Save settings' }).click()
  await page.getByText(/host name or an IP address/).waitFor()
  await page.getByLabel('Public endpoint').fill('home.example.org')
  await page.getByRole('button', { name: 'Save settings' }).click()
  await page.getByText('Settings saved').waitFor()
  await page.reload()
  assert.equal(await page.getByLabel('Public endpoint').inputValue(), 'home.example.org')
})
