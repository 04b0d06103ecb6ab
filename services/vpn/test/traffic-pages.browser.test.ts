import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertAccessible, browserObstacle, eventually, startBrowser } from '@hearth/testing'
import { changePassword, signIn, startPlace } from './browser-place.ts'
import { addHistory, startNamesPlace } from './names-place.ts'

const paths = ['/traffic', '/traffic?period=year', '/traffic/countries', '/traffic/networks?by=destination']

test(
  'traffic and places are shown in figures and pictures, accessible, wide and on a phone, dark and light',
  { skip: browserObstacle() },
  async () => {
    await using place = await startNamesPlace([
      'Phone',
      'A name of a device that is as long as the service lets it be, ok',
    ])
    await addHistory(place)
    await using browser = await startBrowser({ viewport: { width: 1440, height: 900 } })
    const { page } = browser
    await page.goto(place.service.url)
    await signIn(page, 'admin', place.firstPassword)
    await changePassword(page, place.firstPassword)
    const { peers } = await place.call('GET', '/api/peers')
    for (const [width, colorScheme] of [
      [1440, 'light'],
      [1440, 'dark'],
      [390, 'light'],
      [390, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: 844 })
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      for (const path of [...paths, `/peers/${peers[0].id}`]) {
        await page.goto(`${place.service.url}${path}`)
        await page.getByRole('heading', { level: 1 }).waitFor()
        await eventually(
          () => page.locator('[aria-busy=true], [aria-label=Loading]').count(),
          (count) => count === 0,
          { what: 'loaded content' },
        )
        await assertAccessible(page)
        const overflow = Number(
          await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
        )
        assert.ok(overflow <= 0, `${path} is ${overflow} px wider than ${width}`)
      }
    }

    await page.setViewportSize({ width: 1280, height: 900 })
    await page.goto(`${place.service.url}/traffic`)
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

    await page.goto(`${place.service.url}/traffic/countries`)
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

test('without a database the pages on places say what to set', { skip: browserObstacle() }, async () => {
  await using place = await startPlace()
  await using browser = await startBrowser({ viewport: { width: 1280, height: 900 } })
  const { page } = browser
  await page.goto(place.service.url)
  await signIn(page, 'admin', place.firstPassword)
  await changePassword(page, place.firstPassword)
  await page.goto(`${place.service.url}/traffic/countries`)
  await page.getByText('Countries are not counted yet').waitFor()
  await page.getByText(/GEOIP_COUNTRY_DB/).waitFor()
  await page.goto(`${place.service.url}/traffic/networks`)
  await page.getByText(/GEOIP_ASN_DB/).waitFor()
  await assertAccessible(page)
  await page.goto(`${place.service.url}/traffic`)
  await page.getByText('No traffic in this time').waitFor()
})
