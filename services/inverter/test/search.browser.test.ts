import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  assertUsableOn,
  browserObstacle,
  eventually,
  runCommand,
  startBrowser,
  startNewService,
  wideAndPhone,
} from '@hearth/testing'
import { firstSignIn, startInverter } from './browser-fixture.ts'

const skip = browserObstacle()

/** A loopback network that no other test process uses. */
const prefix = `127.${20 + (process.pid % 200)}.${(process.pid >> 8) % 250}`

test('a user finds the inverter in the network, tests the connection and adds it', { skip }, async () => {
  await using fixture = await startNewService('inverter', { SEARCH_NETWORKS: `${prefix}.8/29` })
  await using _inverter = await startInverter(['--port', '8899', '--host', `${prefix}.10`])
  await using browser = await startBrowser()
  const { page } = browser
  await firstSignIn(fixture, page)
  await page.goto(`${fixture.service.url}/inverters`)
  await page.getByRole('button', { name: 'Find inverters' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(`${prefix}.8/29 (SEARCH_NETWORKS, 6 addresses)`).waitFor()
  await dialog.getByRole('button', { name: 'Search' }).click()
  await dialog.getByText('serial number SIM000000001, firmware 5687').waitFor()
  await dialog.getByText('Search finished: 6 of 6 addresses.').waitFor()
  await assertUsableOn(page, wideAndPhone, { picture: 'inverter-search' })

  await dialog.getByRole('button', { name: `Add ${prefix}.10` }).click()
  await dialog.getByLabel('Name', { exact: true }).fill('Found')
  assert.equal(await dialog.getByLabel('Address').inputValue(), `${prefix}.10`)
  await dialog.getByLabel('Port').fill('9')
  await dialog.getByRole('button', { name: 'Test connection' }).click()
  await dialog.getByText(/^The host refuses connections to port 9/).waitFor()
  await dialog.getByText(/inverter that is being restarted refuses/).waitFor()
  await assertUsableOn(page, wideAndPhone, { picture: 'inverter-connection-test' })
  await dialog.getByLabel('Port').fill('8899')
  await dialog.getByRole('button', { name: 'Test connection' }).click()
  await dialog.getByText('No other program uses it.').waitFor()
  await dialog.getByRole('button', { name: 'Add inverter' }).click()
  await page.getByRole('heading', { name: 'Found', level: 1 }).waitFor()

  // A search right after another is refused.
  const { stdout } = await eventually(
    () => runCommand(['inverter', 'find', '--json'], fixture.environment),
    ({ code }) => code === 0,
    { what: 'the second search', seconds: 30, everyMs: 1000 },
  )
  const [found] = JSON.parse(stdout) as { kind: string; device_id: string }[]
  assert.deepEqual([found?.kind, found?.device_id], ['configured', 'found'])
})
