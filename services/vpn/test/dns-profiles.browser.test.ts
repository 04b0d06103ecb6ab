import { test } from 'node:test'
import { assertUsable, browserObstacle, everyScreen, showOn } from '@hearth/testing'
import { openFurnished } from './browser-fixture.ts'

test(
  'a profile is made, its times are chosen, its state is shown, and a device gets it; pause, change and deletion',
  { skip: browserObstacle() },
  async () => {
    await using opened = await openFurnished('/dns/profiles')
    const { page, fixture } = opened
    const onEveryScreen = async (name: string) => {
      for (const screen of everyScreen) {
        await showOn(page, screen)
        await assertUsable(page)
        const folder = process.env['SCREENSHOTS']
        if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}-${screen.join('-')}.png` })
      }
      await showOn(page, [1440, 'light'])
    }
    await page.getByText('No profiles yet').waitFor()
    await onEveryScreen('profiles-empty')
    await page.getByRole('button', { name: 'Add profile' }).click()
    const add = page.getByRole('dialog', { name: 'Add profile' })
    await add.getByLabel('Name', { exact: true }).fill('Children')
    await add.getByRole('combobox', { name: 'Services that are off' }).click()
    await page.getByRole('option', { name: 'YouTube' }).click()
    await page.getByRole('option', { name: 'Roblox' }).click()
    await page.keyboard.press('Escape')
    await add.getByLabel('Blocked names', { exact: true }).fill('games.example\nhttp://name.example')
    await add.getByText('At certain times').click()
    await add.getByLabel('From', { exact: true }).fill('00:00')
    await add.getByLabel('To', { exact: true }).fill('00:00')
    await add.getByRole('checkbox', { name: 'Friday' }).check()
    await add.getByRole('checkbox', { name: 'Saturday' }).check()
    await add.getByRole('button', { name: 'Add profile' }).click()
    await add.getByText(/must be a domain name/).waitFor()
    await onEveryScreen('profiles-dialog')
    await add.getByLabel('Blocked names', { exact: true }).fill('games.example')
    await add.getByRole('button', { name: 'Add profile' }).click()
    await add.waitFor({ state: 'detached' })
    const list = page.getByRole('list', { name: 'Profiles' })
    await list.getByText('Every day, all day').waitFor()
    await list.getByText('YouTube, Roblox').waitFor()
    await list.getByText('Holds now').waitFor()
    await list.getByText('nobody yet').waitFor()

    await page.getByRole('button', { name: 'More for Children' }).click()
    await page.getByRole('menuitem', { name: 'Pause for 1 hour' }).click()
    await list.getByText(/paused until/).waitFor()
    await list.getByRole('button', { name: 'Resume' }).click()
    await list.getByText(/paused until/).waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'More for Children' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    const edit = page.getByRole('dialog', { name: 'Edit profile' })
    await edit.getByLabel('Name', { exact: true }).fill('Kids')
    await edit.getByRole('combobox', { name: 'Devices' }).fill('Phone')
    await page.getByRole('option', { name: 'Phone' }).click()
    await page.keyboard.press('Escape')
    await edit.getByRole('button', { name: 'Save' }).click()
    await edit.waitFor({ state: 'detached' })
    await list.getByText('1 device', { exact: true }).waitFor()
    await onEveryScreen('profiles-list')

    await page.goto(`${fixture.service.url}/peers`)
    await page.getByRole('link', { name: 'Laptop' }).click()
    const drawer = page.getByRole('dialog')
    const choice = drawer.getByLabel('Profile of Laptop')
    await choice.selectOption('Kids')
    await drawer.getByText('Holds now').waitFor()
    await choice.scrollIntoViewIfNeeded()
    await onEveryScreen('profiles-peer')

    await page.goto(`${fixture.service.url}/dns/profiles`)
    await list.getByText('2 devices', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'More for Kids' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete profile' }).click()
    await page.getByText('No profiles yet').waitFor()
  },
)
