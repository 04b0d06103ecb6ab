import { test } from 'node:test'
import { assertUsableOn, browserObstacle, everyScreen } from '@hearth/testing'
import { openFurnished } from './browser-fixture.ts'
import { startFakeNameserver } from './fake-nameserver.ts'

test(
  'zones are added with servers that were tried, changed, explained and deleted; what does not fit is said at the field',
  { skip: browserObstacle() },
  async () => {
    await using corp = await startFakeNameserver({}, undefined, () => '10.7.0.1')
    await using opened = await openFurnished('/dns/zones')
    const { page } = opened
    const table = page.getByRole('table', { name: 'Zones' })
    const onEveryScreen = async (name: string) => {
      await assertUsableOn(page, everyScreen, { picture: `vpn-dns-zones-${name}` })
    }
    await page.getByText('No zones yet').waitFor()
    await onEveryScreen('empty')
    await page.getByRole('button', { name: 'Add zone' }).click()
    const add = page.getByRole('dialog', { name: 'Add zone' })
    await add.getByLabel('Zone', { exact: true }).fill('10.1.0.0/8')
    await add.getByLabel('Servers').fill('udp://10.0.0.1\nnonsense')
    await add.getByRole('button', { name: 'Add zone' }).click()
    await add.getByText('must not have bits behind its prefix: the network is 10.0.0.0/8').waitFor()
    await add.getByLabel('Zone', { exact: true }).fill('Corp.example')
    await add.getByRole('button', { name: 'Add zone' }).click()
    await add.getByText('nonsense is no IP address').waitFor()
    await add.getByLabel('Servers').fill(`udp://127.0.0.1:${corp.port}\ntcp://127.0.0.1:1`)
    await add.getByRole('button', { name: 'Test these servers' }).click()
    await add.getByText(/answers, in \d+ ms/).waitFor()
    await add.getByText(/does not answer: /).waitFor()
    await onEveryScreen('dialog')
    await add.getByRole('button', { name: 'Add zone' }).click()
    await add.waitFor({ state: 'detached' })
    await table.getByText('corp.example', { exact: true }).waitFor()
    await onEveryScreen('table')

    await page.getByRole('button', { name: 'More for corp.example' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    const edit = page.getByRole('dialog', { name: 'Edit zone' })
    await edit.getByLabel('Zone', { exact: true }).fill('corp.example, other')
    await edit.getByRole('button', { name: 'Save' }).click()
    await edit.getByText('must be a domain name or a network').waitFor()
    await edit.getByLabel('Zone', { exact: true }).fill('office.example')
    await edit.getByRole('button', { name: 'Save' }).click()
    await edit.waitFor({ state: 'detached' })
    await table.getByText('office.example', { exact: true }).waitFor()

    await page.getByRole('button', { name: 'More for office.example' }).click()
    await page.getByRole('menuitem', { name: 'Explain this name' }).click()
    await page.getByText('Zone office.example, answered by').waitFor()
    await onEveryScreen('explained')
    await page.keyboard.press('Escape')
    await page.getByLabel('Search zones and servers').fill('nothing-like-it')
    await page.getByText('No zone matches').waitFor()
    await page.getByRole('button', { name: 'Show all zones' }).click()
    await page.getByRole('button', { name: 'More for office.example' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete zone' }).click()
    await page.getByText('No zones yet').waitFor()
  },
)
