import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertUsableOn, browserObstacle, runCommand, wideAndPhone } from '@hearth/testing'
import { openTrial } from './browser-fixture.ts'

const skip = browserObstacle()

/** Writes the least state of charge as the page would. Runs in the page. */
const writeSocMin = `(async () => {
  const session = await (await fetch('/admin/api/session')).json()
  const answer = await fetch('/api/v1/devices/simulated/metrics/power_mng_soc_min', {
    method: 'PUT',
    headers: { 'content-type': 'application/json', 'x-csrf-token': session.csrf_token },
    body: JSON.stringify({ value: 0.25 }),
  })
  return answer.status
})()`

test('a snapshot is taken with progress, compared with now, and a value is written back', { skip }, async () => {
  await using trial = await openTrial()
  const { fixture, page } = trial
  await page.goto(`${fixture.service.url}/parameters`)
  await page.getByRole('heading', { name: 'Parameters', level: 1 }).waitFor()
  await page.getByText('No snapshots yet').waitFor()
  await assertUsableOn(page, wideAndPhone, { picture: 'inverter-parameters-empty' })

  await page.getByRole('button', { name: 'Take a snapshot' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(/^Reads \d+ parameters one after the other/).waitFor()
  await dialog.getByLabel('Name').fill('Before the update')
  await dialog.getByLabel('Note').fill('As the installer left it')
  await dialog.getByRole('button', { name: 'Take snapshot' }).click()
  await page.getByText(/\d+ of \d+ parameters read\./).waitFor()
  await page.getByRole('progressbar', { name: 'Parameters read' }).waitFor()
  const list = page.getByRole('table', { name: 'Snapshots' })
  await list.getByText('Complete').waitFor({ timeout: 60_000 })
  await list.getByText('Before the update').waitFor()

  const command = (args: string) => runCommand(['inverter', ...args.split(' ')], fixture.environment)
  await command('write-access on')
  await command('approve power_mng_soc_min')
  const written = await page.evaluate(writeSocMin)
  assert.equal(written, 200)
  await page.getByRole('button', { name: 'Compare with now' }).click()
  const changes = page.getByRole('table', { name: 'Changes' })
  const row = changes.getByRole('row', { name: /power_mng_soc_min/ })
  await row.getByText(/Written by admin/).waitFor({ timeout: 60_000 })
  await assertUsableOn(page, wideAndPhone, { picture: 'inverter-parameters-changes' })

  const { stdout } = await command('snapshot diff 1')
  assert.match(stdout, /^power_mng_soc_min\t[\d.]+\t0\.25\twritten_here by admin at /m)
  const taken = await command('snapshot take --name Nightly')
  assert.match(taken.stdout, /^\d+\n$/)
  assert.match((await command('snapshot list')).stdout, /\tcomplete\tNightly\n/)
  const exported = await command('snapshot export 1')
  assert.match(exported.stdout, /^name,vendor_name,group,kind,value,unit,label,failure\n/)

  // The page compares the newest two by itself.
  await page.getByLabel('From', { exact: true }).selectOption('1')
  await row.getByRole('link', { name: 'Write back power_mng_soc_min' }).click()
  const drawer = page.getByRole('dialog')
  const field = drawer.getByLabel('New value')
  await field.waitFor()
  assert.notEqual(await field.inputValue(), '')
  await drawer.getByRole('button', { name: /^Write to/ }).click()
  await page
    .getByRole('dialog', { name: /^Write power_mng_soc_min on/ })
    .getByRole('button', { name: /^Write/ })
    .click()
  await drawer.getByText(/Written and read back/).waitFor()
})
