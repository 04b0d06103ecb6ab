import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  assertUsableOn,
  browserObstacle,
  eventually,
  everyScreen,
  freePort,
  startBrowser,
  startServiceProcess,
} from '@hearth/testing'
import { firstSignIn, startFixture } from './browser-fixture.ts'

test(
  'the menu beside the name opens the other services and says how they are',
  { skip: browserObstacle() },
  async () => {
    const port = await freePort()
    await using inverter = await startServiceProcess('inverter', { HEARTH_SERVICES: 'off' })
    await using media = await startServiceProcess('media', { HEARTH_SERVICES: `vpn=http://127.0.0.1:${port}` })
    await using fixture = await startFixture({
      BIND_PORT: String(port),
      HEARTH_SERVICES: `inverter=${inverter.url},media=${media.url}`,
    })
    await using browser = await startBrowser()
    const { page } = browser
    await firstSignIn(fixture, page)
    const switcher = page.getByRole('button', { name: 'Other Hearth services' })
    // A busy machine may miss the time limit of the first reading.
    const isComplete = async () => {
      await page.reload()
      await page.getByRole('heading', { level: 1 }).waitFor({ timeout: 5000 })
      await switcher.waitFor({ timeout: 5000 })
      await switcher.click()
      await page.getByRole('menuitem').nth(1).waitFor({ timeout: 5000 })
      return true
    }
    await eventually(isComplete, Boolean, { what: 'both services in the menu', seconds: 60, everyMs: 5000 })
    assert.deepEqual(
      (await page.getByRole('menuitem').allInnerTexts()).map((text) => text.split(/\s+/).join(' ')),
      ['Inverter Running', 'Media Running'],
    )
    await assertUsableOn(page, everyScreen, { picture: 'vpn-switcher' })
    await page.keyboard.press('Escape')
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Media' }).click()
    await page.waitForURL(`${media.url}/`)
    await page.getByRole('button', { name: 'Other Hearth services' }).click()
    await page.getByRole('menuitem', { name: 'VPN' }).waitFor()
  },
)

test('a service alone has no menu beside its name', { skip: browserObstacle() }, async () => {
  await using fixture = await startFixture({ HEARTH_SERVICES: 'off' })
  await using browser = await startBrowser()
  const { page } = browser
  const answered = page.waitForResponse((response) => response.url().endsWith('/api/neighbours'))
  await firstSignIn(fixture, page)
  assert.deepEqual(((await (await answered).json()) as { data: object }).data, { services: [] })
  await page.getByRole('heading', { level: 1 }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Other Hearth services' }).count(), 0)
})
