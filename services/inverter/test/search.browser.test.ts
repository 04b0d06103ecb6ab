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

test(
  'a user finds the inverter in the network, tests the connection, adds it and verifies how it is written',
  { skip },
  async () => {
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

    const steps = page.getByRole('region', { name: 'First steps' })
    await steps.getByText('It says who it is: its firmware is known Done').waitFor()
    await steps.getByRole('link', { name: 'Verify: Write method' }).click()
    await page.getByRole('button', { name: 'Check on the inverter: Write method' }).click()
    await page.getByText('power_mng_soc_target_set is not approved for writing').waitFor()
    const command = (args: string) => runCommand(['inverter', ...args.split(' ')], fixture.environment)
    await command('write-access on')
    await command('approve power_mng_soc_target_set')
    await page.getByRole('button', { name: 'Check on the inverter: Write method' }).click()
    await page.getByText('The inverter takes writes, and the old value is back.').waitFor()
    await page.getByText('Wrote 0.5 again and read it back').waitFor()
    await assertUsableOn(page, wideAndPhone, { picture: 'inverter-first-steps' })
    await page.getByRole('button', { name: 'Record this' }).click()
    assert.equal(await dialog.getByLabel('Enum width (bytes)').inputValue(), '1')
    await dialog.getByLabel('External control code').fill('2')
    await dialog.getByLabel('Device model').fill('Simulator')
    await dialog.getByLabel('Verified on this inverter').check()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await steps.getByText('Verify: Write method Done').waitFor()
    const checked = await command('capability check --device found write_path_convention')
    assert.deepEqual((JSON.parse(checked.stdout) as { outcome: string }).outcome, 'found')

    // A search right after another is refused.
    const { stdout } = await eventually(
      () => runCommand(['inverter', 'find', '--json'], fixture.environment),
      ({ code }) => code === 0,
      { what: 'the second search', seconds: 30, everyMs: 1000 },
    )
    const [found] = JSON.parse(stdout) as { kind: string; device_id: string }[]
    assert.deepEqual([found?.kind, found?.device_id], ['configured', 'found'])
  },
)
