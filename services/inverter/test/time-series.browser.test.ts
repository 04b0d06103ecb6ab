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
import { firstSignIn } from './browser-fixture.ts'
import { startLineServer } from './line-protocol-server.ts'

const skip = browserObstacle()

test(
  'an administrator connects a time-series database, sees why it fails, and switches it off again',
  { skip },
  async () => {
    await using server = await startLineServer()
    await using fixture = await startNewService('inverter', { HEARTH_UP: '1', OUTBOUND_ALLOW: '127.0.0.1' })
    await using browser = await startBrowser()
    const { page } = browser
    await firstSignIn(fixture, page)
    await page.goto(`${fixture.service.url}/time-series`)
    const connection = page.getByRole('region', { name: 'Connection' })
    await connection.getByText('Off', { exact: true }).waitFor()
    await page.getByLabel('Address').fill(server.url)
    await page.getByLabel('Organization').fill('home')
    await page.getByLabel('Bucket').fill('energy')
    await page.getByRole('textbox', { name: 'Token' }).fill('only-the-server-knows')
    server.decide = () => ({ status: 401, body: JSON.stringify({ message: 'unauthorized access' }) })
    await page.getByRole('button', { name: 'Test connection' }).click()
    await page.getByText(/answered 401: unauthorized access/).waitFor()
    server.decide = () => undefined
    await page.getByRole('button', { name: 'Test connection' }).click()
    await page.getByText(/takes points/).waitFor()
    await page.getByRole('switch', { name: 'Write to a time-series database' }).press('Space')
    await page.getByLabel('Interval').fill('5')
    await page.getByRole('button', { name: 'Save settings' }).click()
    await page.getByText('Time series settings saved').waitFor()
    await connection.getByText('Writing', { exact: true }).waitFor()
    await assertUsableOn(page, wideAndPhone, { picture: 'inverter-time-series' })
    assert.equal(await page.getByText('only-the-server-knows').count(), 0)

    // The page follows by itself, and says what is wrong.
    server.decide = () => ({ status: 503, body: 'compacting' })
    await connection.getByText('Waiting', { exact: true }).waitFor({ timeout: 60_000 })
    await connection.getByText(/answered 503: compacting/).waitFor()
    await assertUsableOn(page, wideAndPhone, { picture: 'inverter-time-series-away' })

    const command = (args: string) => runCommand(['inverter', 'time-series', ...args.split(' ')], fixture.environment)
    assert.equal((await command('status')).stdout, 'waiting\n')
    assert.match((await command('on --url ftp://server')).stderr, /--url must be http/)
    assert.equal((await command('off')).code, 0)
    assert.equal((await command('status')).stdout, 'off\n')
    await connection.getByText('Off', { exact: true }).waitFor()
  },
)
