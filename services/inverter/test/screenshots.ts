import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runCommand, startBrowser, startServiceProcess, temporaryDirectory } from '@hearth/testing'

const password = 'tall-giraffe-on-ice-7'

/** Makes the pictures of the README from a gateway with a simulated inverter, whose sun stands high. */
export async function takeScreenshots(images: string): Promise<void> {
  await using folder = await temporaryDirectory('screenshots')
  const environment = { DATA_DIR: folder.path, HEARTH_UP: '1' }
  await using service = await startServiceProcess('inverter', environment)
  const first = (await readFile(join(folder.path, 'initial-admin-password'), 'utf8')).trim()
  const command = (words: string) => runCommand(['inverter', ...words.split(' ')], environment)
  await command('write-access on')
  await command('limits --device simulated --charge 4000 --discharge 4000')
  await command('mode --device simulated manual')
  await using browser = await startBrowser({
    baseURL: service.url,
    viewport: { width: 1280, height: 960 },
    deviceScaleFactor: 1,
    reducedMotion: 'reduce',
  })
  const { page } = browser
  await page.goto('/')
  await page.getByLabel('User name').fill('admin')
  await page.getByLabel('Password', { exact: true }).fill(first)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByLabel('Current password').fill(first)
  await page.getByLabel('New password', { exact: true }).fill(password)
  await page.getByLabel('New password again').fill(password)
  await page.locator('button[type=submit]').click()
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor()
  // All values of the page have come by then.
  await page.waitForTimeout(15_000)
  await page.screenshot({ path: join(images, 'inverter-dashboard.png') })
  await page.goto('/energy')
  await page.getByRole('heading', { name: 'Energy' }).waitFor()
  await page.waitForTimeout(3000)
  await page.screenshot({ path: join(images, 'inverter-energy.png') })
}
