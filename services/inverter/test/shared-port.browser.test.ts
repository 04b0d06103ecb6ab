import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertUsableOn, browserObstacle, freePort, wideAndPhone } from '@hearth/testing'
import { openTrial } from './browser-fixture.ts'
import { connectClient } from './shared-client.ts'

const skip = browserObstacle()

test('an administrator shares the inverter with a program and sees it come', { skip }, async () => {
  await using trial = await openTrial()
  const { fixture, page } = trial
  const port = await freePort()
  await page.goto(`${fixture.service.url}/shared-port`)
  const state = page.getByRole('region', { name: 'State' })
  await state.getByText('Off', { exact: true }).waitFor()
  await page.getByText('Nobody may connect yet').waitFor()
  await assertUsableOn(page, wideAndPhone, { picture: 'inverter-shared-port-empty' })

  await page.getByRole('switch', { name: 'Let other programs' }).press('Space')
  await page.getByLabel('Address to listen at').fill('127.0.0.1')
  await page.getByRole('region', { name: 'Inverters' }).getByRole('switch').press('Space')
  await page.getByLabel(/^Port of /).fill(String(port))
  await page.getByRole('button', { name: 'Add program' }).click()
  await page.getByLabel('Name').fill('evcc')
  await page.getByLabel('Address', { exact: true }).fill('the house')
  await page.getByRole('button', { name: 'Save settings' }).click()
  await page.getByText(/must be an IP address/i).waitFor()
  await page.getByLabel('Address', { exact: true }).fill('127.0.0.1')
  await page.getByRole('button', { name: 'Save settings' }).click()
  await page.getByText('Shared port saved').waitFor()
  await state.getByText('Open', { exact: true }).waitFor()

  await using client = await connectClient(port)
  assert.ok((await client.read('battery_soc')).length > 0)
  client.send({ name: 'power_mng_soc_strategy', command: 'write', payload: Buffer.of(2) })
  await page.getByRole('list', { name: 'Connected programs' }).getByText('evcc').waitFor()
  await state.getByText(/evcc may not write power_mng_soc_strategy/).waitFor()
  await assertUsableOn(page, wideAndPhone, { picture: 'inverter-shared-port' })

  await page.getByRole('button', { name: 'Remove evcc' }).click()
  await page.getByRole('button', { name: 'Save settings' }).click()
  await client.closed()
  await page.getByText('Nobody may connect yet').waitFor()
})
