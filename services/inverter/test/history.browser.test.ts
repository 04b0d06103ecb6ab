import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertUsableOn, browserObstacle, eventually, runCommand, wideAndPhone } from '@hearth/testing'
import { openTrial } from './browser-fixture.ts'
import { fillWithSun } from './history-rows.ts'

const skip = browserObstacle()

test('the history shows a day, a month and a year, says what is missing, and gives files', { skip }, async () => {
  await using trial = await openTrial()
  const { fixture, page } = trial
  await page.goto(`${fixture.service.url}/history`)
  await page.getByRole('heading', { name: 'Energy history' }).waitFor()
  await page.getByText('No data for this time').waitFor()
  await page.getByRole('region', { name: 'Now' }).getByText('Solar', { exact: true }).first().waitFor()
  await assertUsableOn(page, wideAndPhone, { picture: 'inverter-history-empty' })

  const { yesterday } = await fillWithSun(fixture)
  await page.goto(`${fixture.service.url}/history?date=${yesterday}`)
  const balance = page.getByRole('region', { name: 'Balance' })
  await balance.getByText('Self-sufficiency').waitFor()
  await balance.getByText(/of this time is missing/).waitFor()
  await page.locator('.chart-canvas canvas').first().waitFor()
  await assertUsableOn(page, wideAndPhone, { picture: 'inverter-history-day' })

  await page.getByText('Month', { exact: true }).click()
  await page.getByRole('region', { name: 'Used' }).getByText('Directly from the sun').first().waitFor()
  await assertUsableOn(page, wideAndPhone, { picture: 'inverter-history-month' })
  await page.getByRole('button', { name: 'Previous month' }).click()
  await balance.getByText('Full battery cycles').waitFor()
  await page.getByText('Year', { exact: true }).click()
  await page.getByRole('region', { name: 'Produced' }).getByText('Into the battery').first().waitFor()
  await page.getByText('Total', { exact: true }).click()
  await balance.getByText('Self-sufficiency').waitFor()
  await page.getByText('Day', { exact: true }).click()

  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'CSV' }).click()
  assert.equal((await download).suggestedFilename(), 'energy-simulated.csv')

  await page.getByLabel('Time zone').fill('Mars/Base')
  await page.getByRole('button', { name: 'Save settings' }).click()
  await page.getByText(/must be the name of a time zone/i).waitFor()
  await page.getByLabel('Time zone').fill('Europe/Berlin')
  await page.getByRole('button', { name: 'Save settings' }).click()
  await page.getByText('History settings saved').waitFor()

  const command = (args: string) => runCommand(['inverter', 'energy', ...args.split(' ')], fixture.environment)
  const printed = await eventually(
    () => command('balance --period total'),
    ({ code }) => code === 0,
    { what: 'a balance', seconds: 30, everyMs: 500 },
  )
  assert.ok((JSON.parse(printed.stdout) as { balance: { pv_wh: number } }).balance.pv_wh > 0)
  const { stdout } = await command(`export --resolution day --to ${yesterday}`)
  assert.match(stdout, /^start,date,pv_wh/)
  assert.ok(stdout.split('\n').length > 30)
})
