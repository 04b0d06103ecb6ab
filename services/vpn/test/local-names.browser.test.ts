import { test } from 'node:test'
import { assertUsableOn, browserObstacle, everyScreen } from '@hearth/testing'
import { openFurnished } from './browser-fixture.ts'

test(
  'local names are added, changed, imported and deleted; what does not fit is said at the field',
  { skip: browserObstacle() },
  async () => {
    await using opened = await openFurnished('/dns/names')
    const { page } = opened
    const table = page.getByRole('table', { name: 'Local names' })
    const onEveryScreen = async () => {
      await assertUsableOn(page, everyScreen)
    }
    await page.getByText('No local names yet').waitFor()
    await onEveryScreen()
    await page.getByRole('button', { name: 'Add name' }).click()
    const add = page.getByRole('dialog', { name: 'Add local name' })
    await add.getByLabel('Name', { exact: true }).waitFor()
    await onEveryScreen()
    await add.getByLabel('Name', { exact: true }).fill('NAS.home.example')
    await add.getByLabel('IPv4 address').last().fill('192.168.1.300')
    await add.getByRole('button', { name: 'Add name' }).click()
    await add.getByText('must be an IPv4 address: "192.168.1.300"').waitFor()
    await add.getByLabel('IPv4 address').last().fill('192.168.1.5')
    await add.getByRole('button', { name: 'Add name' }).click()
    await add.waitFor({ state: 'detached' })
    await table.getByText('nas.home.example').waitFor()

    await page.getByRole('button', { name: 'Add name' }).click()
    await add.getByLabel('Type').selectOption('CNAME')
    await add.getByLabel('Name', { exact: true }).fill('*.home.example')
    await add.getByLabel('Name it stands for').fill('printer.home.example')
    await add.getByRole('button', { name: 'Add name' }).click()
    await add.getByText(/leads back to \*\.home\.example/).waitFor()
    await add.getByLabel('Name it stands for').fill('nas.home.example')
    await add.getByRole('button', { name: 'Add name' }).click()
    await add.waitFor({ state: 'detached' })
    await table.getByText('*.home.example').waitFor()

    await page.getByRole('button', { name: 'More for nas.home.example A 192.168.1.5' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    const edit = page.getByRole('dialog', { name: 'Edit local name' })
    await edit.getByLabel('Lifetime').selectOption('3600')
    await edit.getByRole('button', { name: 'Save' }).click()
    await edit.waitFor({ state: 'detached' })
    await table.getByText('1 hour').waitFor()

    await page.getByRole('button', { name: 'Import' }).click()
    const load = page.getByRole('dialog', { name: 'Import local names' })
    await load.getByLabel('Lines').fill('192.168.1.5 nas.home.example\ntv.home.example A nonsense\n')
    await load.getByRole('button', { name: 'Check' }).click()
    await load.getByText('0 new records, 1 there already; 1 line cannot be used').waitFor()
    await load.getByText('Line 2: value must be an IPv4 address: "nonsense"').waitFor()
    await onEveryScreen()
    await load.getByLabel('Lines').fill('192.168.1.6 tv.home.example tv\nhome.example MX 10 nas.home.example')
    await load.getByRole('button', { name: 'Check' }).click()
    await load.getByRole('button', { name: 'Add 3 records' }).click()
    await load.waitFor({ state: 'detached' })
    await table.getByText('10 nas.home.example').waitFor()
    await onEveryScreen()

    await page.getByRole('button', { name: 'More for *.home.example CNAME' }).click()
    await page.getByRole('menuitem', { name: 'Explain this name' }).click()
    await page.getByText('Local record: *.home.example').waitFor()
    await onEveryScreen()
    await page.keyboard.press('Escape')
    await page.getByLabel('Search names and values').fill('tv')
    await page.getByRole('button', { name: 'More for tv.home.example' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete record' }).click()
    await table.getByText('tv.home.example').waitFor({ state: 'detached' })
  },
)
