import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  assertAccessible,
  assertPagesUsable,
  browserObstacle,
  eventually,
  everyScreen,
  startBrowser,
} from '@hearth/testing'
import { firstSignIn, startFixture } from './browser-fixture.ts'
import { addHistory, startNamesFixture } from './names-fixture.ts'

const paths = ['/traffic', '/traffic?period=year', '/traffic/countries', '/traffic/networks?by=destination']

test(
  'traffic and locations are shown as figures and charts, accessible on desktop and phone, dark and light',
  { skip: browserObstacle() },
  async () => {
    await using fixture = await startNamesFixture([
      'Phone',
      'A name of a device that is as long as the service lets it be, ok',
    ])
    await addHistory(fixture)
    await using browser = await startBrowser({ viewport: { width: 1440, height: 900 } })
    const { page } = browser
    await firstSignIn(fixture, page)
    const { peers } = await fixture.call('GET', '/api/peers')
    const urls = [...paths, `/peers/${peers[0].id}`].map((path) => `${fixture.service.url}${path}`)
    await assertPagesUsable(page, everyScreen, { service: 'VPN', urls })

    await page.setViewportSize({ width: 1280, height: 900 })
    await page.goto(`${fixture.service.url}/traffic`)
    await page.locator('canvas').waitFor()
    await page.getByText('As a table').click()
    const figures = page.getByRole('table', { name: 'Traffic of all peers' })
    await eventually(
      () => figures.getByRole('row').count(),
      (count) => count >= 25,
      { what: 'a row an hour' },
    )
    await page.getByRole('link', { name: 'Phone' }).click()
    await page.getByRole('dialog').locator('canvas').waitFor()

    await page.goto(`${fixture.service.url}/traffic/countries`)
    const countries = page.getByRole('table', { name: 'Countries' })
    await countries.getByText('Germany').waitFor()
    assert.deepEqual(
      (await countries.getByRole('row').allInnerTexts()).slice(1, 3).map((text) => text.split('\t')[0]),
      ['Germany', 'United States'],
    )
    await page.getByRole('combobox', { name: 'Peer' }).fill('Phone')
    await page.waitForURL(/peer=Phone/)
    await page.getByRole('link', { name: 'Networks' }).click()
    await page.getByText('Deutsche Telekom AG').waitFor()
  },
)

test('without a database the location pages say what to set', { skip: browserObstacle() }, async () => {
  await using fixture = await startFixture()
  await using browser = await startBrowser()
  const { page } = browser
  await firstSignIn(fixture, page)
  await page.goto(`${fixture.service.url}/traffic/countries`)
  await page.getByText('Countries are not counted yet').waitFor()
  await page.getByText(/GEOIP_COUNTRY_DB/).waitFor()
  await page.goto(`${fixture.service.url}/traffic/networks`)
  await page.getByText(/GEOIP_ASN_DB/).waitFor()
  await assertAccessible(page)
  await page.goto(`${fixture.service.url}/traffic`)
  await page.getByText('No traffic in this time').waitFor()
})
