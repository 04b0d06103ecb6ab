import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  assertUsableOn,
  browserObstacle,
  runCommand,
  startBrowser,
  startNewService,
  wideAndPhone,
} from '@hearth/testing'
import { firstSignIn, startInverter } from './browser-fixture.ts'

const skip = browserObstacle()

test(
  'an administrator makes two inverters one plant, and sees them together, also while one is away',
  { skip },
  async () => {
    await using fixture = await startNewService('inverter')
    await using roof = await startInverter(['--one-house', '--network-id', '7'])
    await using browser = await startBrowser()
    const { page } = browser
    const command = (args: string) => runCommand(['inverter', ...args.split(' ')], fixture.environment)
    await firstSignIn(fixture, page)
    await command(`device add --id roof --host 127.0.0.1 --port ${roof.port}`)
    await command(`device add --id barn --host 127.0.0.1 --port ${roof.port} --network-id 7`)
    await page.goto(`${fixture.service.url}/inverters`)
    const plant = page.getByRole('region', { name: 'Plant' })
    await plant.getByText('behind one grid connection').waitFor()
    await plant.getByRole('switch', { name: 'Show these inverters as one plant' }).press('Space')
    await plant.getByLabel('The sensor of roof sees the grid connection').uncheck()
    await plant.getByRole('button', { name: 'Save plant' }).click()
    await page.getByText(/must have one whose sensor sees the grid connection/).waitFor()
    await plant.getByLabel('The sensor of roof sees the grid connection').check()
    await plant.getByLabel('Name').fill('House')
    await plant.getByRole('button', { name: 'Save plant' }).click()
    await page.getByText('The plant is set up').waitFor()
    await assertUsableOn(page, wideAndPhone, { picture: 'inverter-plant-settings' })

    await page.goto(fixture.service.url)
    await page.getByRole('heading', { name: 'House', level: 2 }).waitFor()
    const inverters = page.getByRole('region', { name: 'Inverters' })
    await inverters.getByText(/Measures the grid connection/).waitFor()
    await page
      .getByText(/of 19\.2 kWh|–/)
      .first()
      .waitFor()
    await assertUsableOn(page, wideAndPhone, { picture: 'inverter-plant' })

    // One that is configured and never answers: an address with nobody behind it.
    await command('device add --id shed --host 127.0.0.1 --port 9')
    await command('plant set --inverters roof,barn,shed --grid roof')
    await page.getByText(/No values from shed\. 2 of 3 inverters answer/).waitFor()
    // Nobody knows whether it has a battery.
    await page.getByText(/% without shed/).waitFor()
    await assertUsableOn(page, wideAndPhone, { picture: 'inverter-plant-away' })
    await page.getByLabel('Inverter', { exact: true }).selectOption('roof')
    await page.getByText('Edit layout').waitFor()
    await command('plant set --inverters roof,barn --grid roof')
    for (const id of ['roof', 'barn']) await command(`limits --device ${id} --charge 3000 --discharge 3000`)
    // What concerns one inverter does not offer the plant.
    await page.goto(`${fixture.service.url}/parameters`)
    const choices = page.getByLabel('Inverter', { exact: true }).getByRole('option')
    await choices.first().waitFor({ state: 'attached' })
    assert.deepEqual(await choices.allTextContents(), ['roof', 'barn', 'shed'])
    await page.goto(`${fixture.service.url}/plan`)
    await page.getByRole('switch', { name: 'Make plans' }).press('Space')
    await page.getByRole('switch', { name: 'Plan all batteries of the plant' }).press('Space')
    await page.getByLabel('Batteries that differ').fill('roof content=9600\nbarn content=5000 reserve=20')
    await page.getByLabel('Prices by time').fill(cheapNow())
    await page.getByRole('button', { name: /^Save/ }).click()
    await page.getByText('Plan settings saved').waitFor()
    await page.getByText('Fixed by time of day').waitFor()
    const blocks = page.getByRole('region', { name: 'What happens' })
    await blocks.getByText('barn').first().waitFor()
    await page.getByRole('region', { name: 'Each battery' }).locator('canvas').first().waitFor()
    await assertUsableOn(page, wideAndPhone, { picture: 'inverter-plant-plan' })
    await page.goto(`${fixture.service.url}/history`)
    await page.getByLabel('Inverter', { exact: true }).waitFor()
    await page.getByText('No data for this time').waitFor()
  },
)

/** Cheap for the next three hours and dear for six hours after them, in the time of this machine. */
function cheapNow(): string {
  const clock = (hours: number) => {
    const at = Temporal.Now.zonedDateTimeISO().add({ hours })
    return at.toPlainTime().toString({ smallestUnit: 'minute' })
  }
  return [`daily ${clock(-1)}-${clock(3)} 0.05`, `daily ${clock(3)}-${clock(9)} 0.90`].join('\n')
}
