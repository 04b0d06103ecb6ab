import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import assert from 'node:assert/strict'
import { assertUsableOn, browserObstacle, eventually, runCommand, wideAndPhone } from '@hearth/testing'
import { openTrial } from './browser-fixture.ts'

const skip = browserObstacle()

test('an administrator makes a plan, reads what it does and why, and takes a part out', { skip }, async () => {
  await using trial = await openTrial()
  const { fixture, page } = trial
  const command = (args: string) => runCommand(['inverter', ...args.split(' ')], fixture.environment)
  await command('limits --device simulated --charge 4000 --discharge 4000')
  await page.goto(`${fixture.service.url}/plan`)
  await page.getByText('No plans are made').waitFor()
  await assertUsableOn(page, wideAndPhone, { picture: 'inverter-plan-empty' })

  await page.getByRole('switch', { name: 'Make plans' }).press('Space')
  await page.getByLabel('Source').selectOption('file')
  await page.getByLabel('Content').fill('9600')
  await page.getByLabel('Grid fees by time').fill('at night 0.1')
  await page.getByRole('button', { name: /^Save/ }).click()
  await page.getByText(/“at night 0.1” must be like/).waitFor()
  await page.getByLabel('Grid fees by time').fill('')
  await page.getByRole('button', { name: /^Save/ }).click()
  await page.getByText('Plan settings saved').waitFor()
  await page
    .getByText(/there is no plans\/prices.csv/)
    .first()
    .waitFor()
  await assertUsableOn(page, wideAndPhone, { picture: 'inverter-plan-missing' })

  writePrices(fixture.environment['DATA_DIR'] ?? '')
  await page.getByRole('button', { name: 'New plan' }).click()
  const blocks = page.getByRole('region', { name: 'What happens' })
  await blocks
    .getByText(/Cheap energy at/)
    .first()
    .waitFor()
  await page.locator('.chart-canvas canvas').first().waitFor()
  await assertUsableOn(page, wideAndPhone, { picture: 'inverter-plan' })

  const printed = await command('plan show')
  assert.match(printed.stdout, / charge [\d.]+ Cheap energy at /)
  await blocks.getByRole('button', { name: 'Take out' }).first().click()
  await blocks.getByText('Set by hand.').waitFor()
  const taken = await command('plan choose')
  assert.equal(taken.code, 0)
  await eventually(
    () => blocks.getByText('Set by hand.').count(),
    (count) => count === 0,
    { what: 'the plan without a choice', seconds: 20 },
  )
})

/** Prices of thirty hours: cheap for three, dear from the sixth to the tenth. */
function writePrices(dataDirectory: string): void {
  const begin = Math.floor(Date.now() / 3_600_000) * 3_600_000
  const price = (hour: number) => (hour < 3 ? 0.08 : hour >= 6 && hour < 10 ? 0.52 : 0.27)
  const lines = Array.from(
    { length: 30 },
    (_, hour) => `${new Date(begin + hour * 3_600_000).toISOString()},${price(hour)}`,
  )
  mkdirSync(join(dataDirectory, 'plans'), { recursive: true })
  writeFileSync(join(dataDirectory, 'plans', 'prices.csv'), `${lines.join('\n')}\n`)
}
