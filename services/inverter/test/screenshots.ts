import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runCommand, startBrowser } from '@hearth/testing'
import { firstSignIn, startTrial } from './browser-fixture.ts'

/** A tariff that is cheap at night and dear in the evening. */
const tariff = {
  enabled: true,
  currency: 'EUR',
  fixed_price: 0.32,
  feed_in_price: 0.08,
  capacity_wh: 9600,
  windows: [
    { days: 'daily', from: '00:00', to: '06:00', price: 0.19 },
    { days: 'daily', from: '17:00', to: '21:00', price: 0.45 },
  ],
}

/** Takes the screenshots of the README from a gateway with a simulated inverter at noon. */
export async function takeScreenshots(images: string): Promise<void> {
  await using fixture = await startTrial()
  const { service, environment } = fixture
  const command = (args: string) => runCommand(['inverter', ...args.split(' ')], environment)
  await command('write-access on')
  await command('limits --device simulated --charge 4000 --discharge 4000')
  await command('mode --device simulated manual')
  await using browser = await startBrowser({
    baseURL: service.url,
    viewport: { width: 1280, height: 960 },
    deviceScaleFactor: 1,
  })
  const { page } = browser
  await firstSignIn(fixture, page)
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor()
  // All values of the page have come by then.
  await page.waitForTimeout(15_000)
  await page.screenshot({ path: join(images, 'inverter-dashboard.png') })
  await page.goto('/energy')
  await page.getByRole('heading', { name: 'Energy' }).waitFor()
  await page.waitForTimeout(3000)
  await page.screenshot({ path: join(images, 'inverter-energy.png') })
  const file = join(environment['DATA_DIR'] ?? '', 'tariff.json')
  await writeFile(file, JSON.stringify(tariff))
  await command(`plan set ${file}`)
  await page.goto('/plan')
  await page.getByRole('region', { name: 'Battery', exact: true }).locator('canvas').waitFor()
  await page.waitForTimeout(3000)
  await page.screenshot({ path: join(images, 'inverter-plan.png') })
}
