import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import assert from 'node:assert/strict'
import { assertUsableOn, browserObstacle, eventually, runCommand, wideAndPhone, type NewService } from '@hearth/testing'
import { readConfig } from '../src/config.ts'
import { openStorage } from '../src/database/open.ts'
import type { PlanPastStep } from '../src/plans/day-schema.ts'
import { writeDay } from '../src/plans/store.ts'
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

test('past days show what was planned, what happened and what it saved', { skip }, async () => {
  await using trial = await openTrial()
  const { fixture, page } = trial
  await page.goto(`${fixture.service.url}/plan/days`)
  await page.getByText('No day yet').waitFor()
  await assertUsableOn(page, wideAndPhone, { picture: 'inverter-plan-days-empty' })
  await writePastDays(fixture)
  await page.reload()
  await page.getByText(/saved on 2 days/).waitFor()
  await page.getByRole('region', { name: 'Battery' }).locator('canvas').first().waitFor()
  await assertUsableOn(page, wideAndPhone, { picture: 'inverter-plan-days' })
  await page.getByRole('button', { name: /Nov 9|9 Nov/ }).click()
  await page.getByText('Nothing more was kept of this day by an older version.').waitFor()
})

/** Two days that were judged: one with its course, and one of an older version. */
async function writePastDays({ environment }: Pick<NewService, 'environment'>): Promise<void> {
  const { database } = await openStorage(readConfig(environment))
  const begin = Date.UTC(2026, 10, 10)
  const steps = Array.from({ length: 96 }, (_, index): PlanPastStep => {
    const hour = index / 4
    const pv = hour < 7 || hour > 17 ? 0 : Math.round(3000 * Math.sin(((hour - 7) / 10) * Math.PI))
    return {
      start: new Date(begin + index * 900_000).toISOString(),
      buy: 0.3,
      action: hour < 3 ? 'charge' : 'automatic',
      planned_soc_percent: hour < 3 ? 20 + hour * 20 : 80,
      planned_grid_w: hour < 3 ? 3000 : 400,
      planned_pv_w: pv,
      planned_load_w: 500,
      soc_percent: index === 30 ? null : hour < 3 ? 20 + hour * 19 : 76,
      grid_w: hour < 3 ? 2900 : 500 - Math.round(pv / 2),
      pv_w: Math.round(pv * 0.8),
      load_w: 450 + (index % 8) * 40,
    }
  })
  const row = { device_id: 'simulated', cost: 1.31, cost_without: 2.2, currency: 'EUR' }
  await writeDay(database.query, { ...row, day: '2026-11-09', course: null })
  await writeDay(database.query, { ...row, day: '2026-11-10', cost: 1.02, course: JSON.stringify(steps) })
  await database.close()
}

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
