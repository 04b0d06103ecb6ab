import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertUsableOn, browserObstacle, eventually, everyScreen } from '@hearth/testing'
import type { Page } from 'playwright-core'
import { openFurnished } from './browser-fixture.ts'

/** Looks at the page as it is, wide and narrow, light and dark. */
async function onEveryScreen(page: Page, name: string): Promise<void> {
  await assertUsableOn(page, everyScreen, { picture: `vpn-access-${name}` })
}

test(
  'groups and rules are made, ordered by keyboard and pointer, switched and deleted, and explained',
  { skip: browserObstacle() },
  async () => {
    await using opened = await openFurnished('/access')
    const { page } = opened
    await page.getByText('No rules yet').waitFor()
    await page.getByText('No groups yet').waitFor()
    await onEveryScreen(page, 'empty')

    await page.getByRole('button', { name: 'Add group' }).click()
    const group = page.getByRole('dialog', { name: 'Add group' })
    await group.getByRole('button', { name: 'Add group' }).click()
    await group.getByText('Enter a name').waitFor()
    await group.getByLabel('Name').fill('Guests')
    await group.getByLabel('Devices').fill('Lap')
    await page.getByRole('option', { name: 'Laptop' }).click()
    await page.keyboard.press('Escape')
    await group.getByLabel('Tags').fill('guest')
    await group.getByLabel('Name').click()
    await onEveryScreen(page, 'adding')
    await group.getByRole('button', { name: 'Add group' }).click()
    await group.waitFor({ state: 'detached' })
    const groups = page.getByRole('list', { name: 'Groups' })
    await groups.getByText('1 device, tagged guest, in no rule').waitFor()

    const rules = page.getByRole('list', { name: 'Rules' })
    await page.getByRole('button', { name: 'Add rule' }).click()
    const add = page.getByRole('dialog', { name: 'Add rule' })
    await add.getByLabel('From', { exact: true }).selectOption('group')
    await add.getByRole('button', { name: 'Add rule' }).click()
    await add.getByText('Choose a group').waitFor()
    await add.getByLabel('From which group').selectOption({ label: 'Guests' })
    await add.getByLabel('To', { exact: true }).selectOption('network')
    await add.getByLabel('Network or address').fill('192.168.1.7/24')
    await add.getByLabel('What').selectOption('tcp')
    await add.getByLabel('Ports').fill('80, 8000 - 8080')
    await onEveryScreen(page, 'groups')
    await add.getByRole('button', { name: 'Add rule' }).click()
    await add.getByText('has bits behind its prefix; the network is 192.168.1.0/24').waitFor()
    await add.getByLabel('Network or address').fill('192.168.1.0/24')
    await add.getByRole('button', { name: 'Add rule' }).click()
    await add.waitFor({ state: 'detached' })
    await rules.getByText('TCP ports 80, 8000-8080 from Guests to 192.168.1.0/24').waitFor()

    for (const [from, to] of [
      ['Phone', 'Laptop'],
      ['Laptop', 'Phone'],
    ] as const) {
      await page.getByRole('button', { name: 'Add rule' }).click()
      await add.getByLabel('From', { exact: true }).selectOption('peer')
      await add.getByLabel('From which device').fill(from)
      await add.getByLabel('To', { exact: true }).selectOption('peer')
      await add.getByLabel('To which device').fill(to)
      await add.getByLabel('Note').fill(`${from} to ${to}`)
      await add.getByRole('button', { name: 'Add rule' }).click()
      await add.waitFor({ state: 'detached' })
      await rules.getByText(`everything from ${from} to ${to}`).waitFor()
    }
    const isOrder = (...texts: string[]) =>
      eventually(
        () => rules.locator('li').allTextContents(),
        (items) => items.length === texts.length && items.every((item, at) => item.includes(texts[at] ?? '')),
      )
    await isOrder('Guests', 'from Phone', 'from Laptop')
    await page.getByRole('button', { name: 'Move rule 3 up' }).press('Enter')
    await isOrder('Guests', 'from Laptop', 'from Phone')
    await page.getByRole('button', { name: 'Drag rule 2' }).press('ArrowUp')
    await isOrder('from Laptop', 'Guests', 'from Phone')
    await page.getByRole('button', { name: 'Drag rule 3' }).dragTo(rules.locator('li').first())
    await isOrder('from Phone', 'from Laptop', 'Guests')
    await page.getByRole('button', { name: 'Move rule 2 down' }).click()
    await isOrder('from Phone', 'Guests', 'from Laptop')
    await page.reload()
    await isOrder('from Phone', 'Guests', 'from Laptop')
    await onEveryScreen(page, 'rules')

    await page.getByRole('combobox', { name: 'From device' }).fill('Phone')
    await page.getByRole('textbox', { name: 'To', exact: true }).fill('Laptop')
    await page.getByRole('button', { name: 'Explain' }).click()
    await page.getByText('Phone cannot reach Laptop on TCP port 443: rule 1 decides.').waitFor()
    await onEveryScreen(page, 'explained')
    await page.getByRole('switch', { name: 'Rule 1 holds' }).press(' ')
    await page.getByText('Phone can reach Laptop on TCP port 443: no rule matches, so the default decides.').waitFor()

    await page.getByRole('switch', { name: /wg0: deny what no rule allows/ }).press(' ')
    const warning = page.getByRole('dialog', { name: 'Deny what no rule allows on wg0?' })
    await warning.getByText('lose the internet').waitFor()
    await onEveryScreen(page, 'narrow')
    await warning.getByRole('button', { name: 'Keep allowing' }).click()
    await warning.waitFor({ state: 'detached' })
    assert.equal(await page.getByRole('switch', { name: /wg0: deny/ }).isChecked(), false)
    await page.getByRole('switch', { name: /wg0: deny/ }).press(' ')
    await warning.getByRole('button', { name: 'Deny', exact: true }).click()
    await page.getByText('Always allowed: ping and DNS at the gateway').waitFor()
    await page.getByText('Phone cannot reach Laptop on TCP port 443: no rule matches, so the default').waitFor()

    await page.getByRole('button', { name: 'More for Guests' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete group' }).click()
    await page.getByText('1 rule names the group Guests; delete or change them first').first().waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /More for rule 2/ }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete rule' }).click()
    await isOrder('from Phone', 'from Laptop')

    await page.goto(`${opened.fixture.service.url}/peers`)
    await page.getByText('Laptop', { exact: true }).first().click()
    await page.getByRole('dialog').getByText('Guests').waitFor()
  },
)
