import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertUsableOn, browserObstacle, wideAndPhone } from '@hearth/testing'
import { startFakeVpn } from './fake-vpn.ts'
import { caddyObstacle } from './real-caddy.ts'
import { makeSite } from './served.ts'
import { openSitesPlace } from './sites-place.ts'

const skip = browserObstacle() ?? caddyObstacle() ?? false

test('a VPN is linked, a site is put into the tunnel, and the link stays while it is there', { skip }, async () => {
  await using vpn = await startFakeVpn()
  await using place = await openSitesPlace({ OUTBOUND_ALLOW: '127.0.0.1' })
  const { page, goTo, admin } = place
  await goTo('/settings')
  await page.getByRole('link', { name: 'Inside and outside' }).click()
  await page.getByText('No VPN is linked').waitFor()
  await assertUsableOn(page, wideAndPhone, { picture: 'sites-vpn-none' })

  await page.getByRole('button', { name: 'Link a VPN' }).click()
  const dialog = page.getByRole('dialog', { name: 'Link a Hearth VPN' })
  await dialog.getByLabel('Address').fill(vpn.url)
  await dialog.getByLabel('API token').fill('hvpn_wrong')
  await dialog.getByRole('button', { name: 'Check and save' }).click()
  await dialog.getByText(/does not know the token/).waitFor()
  await assertUsableOn(page, wideAndPhone, { picture: 'sites-vpn-dialog' })
  await dialog.getByLabel('API token').fill(vpn.token)
  await dialog.getByRole('button', { name: 'Check and save' }).click()
  await page.getByText('wg0 (10.231.8.0/24)').waitFor()
  await page.getByText(/address at which devices inside reach Caddy is missing/).waitFor()

  await page.getByRole('button', { name: 'Change', exact: true }).click()
  const inside = page.getByRole('dialog', { name: 'Inside' })
  const home = inside.getByRole('combobox', { name: 'Home networks' })
  await home.fill('0.0.0.0/0')
  await home.press('Enter')
  await inside.getByRole('button', { name: 'Save' }).click()
  await inside.getByText(/takes in too much/).waitFor()
  await home.press('Backspace')
  await home.fill('192.168.1.0/24')
  await home.press('Enter')
  const address = inside.getByRole('combobox', { name: 'Caddy’s address inside' })
  for (let left = 4; left > 0; left -= 1) await address.press('Backspace')
  await address.fill('10.99.0.1')
  await address.press('Enter')
  await address.press('Tab')
  await assertUsableOn(page, wideAndPhone, { picture: 'sites-vpn-inside' })
  await inside.getByRole('button', { name: 'Save' }).click()
  await inside.waitFor({ state: 'hidden' })
  await page.getByText('In step').waitFor()
  await assertUsableOn(page, wideAndPhone, { picture: 'sites-vpn-linked' })

  const { id } = await makeSite(admin, {
    site_name: 'Photos',
    domains: ['photos.example.org'],
    kind: 'respond',
    respond: { body: 'hello' },
    tls: { mode: 'off' },
  })
  await goTo(`/sites/${id}`)
  await page.getByRole('button', { name: /^Access/ }).click()
  await page.getByLabel('Reachable by').selectOption('tunnel')
  await assertUsableOn(page, wideAndPhone, { picture: 'sites-site-reach' })
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page
    .getByText(/saved|applied/i)
    .first()
    .waitFor()
  await goTo('/sites?reach=tunnel')
  await page.getByText('VPN only', { exact: true }).last().waitFor()
  await page.getByRole('link', { name: 'Photos', exact: true }).waitFor()
  await assertUsableOn(page, wideAndPhone, { picture: 'sites-sites-reach' })

  await goTo('/settings/vpn')
  await page.getByRole('button', { name: 'End link' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End the link' }).click()
  await page.getByText(/tunnel only: Photos/).waitFor()
  await page.keyboard.press('Escape')
  vpn.onRequest = () => ({ status: 500, body: '{"message":"disk full"}' })
  await page.getByRole('button', { name: 'Check now' }).click()
  await page.getByText(/disk full/).waitFor()
  await assertUsableOn(page, wideAndPhone, { picture: 'sites-vpn-failing' })
  await goTo('/')
  await page.getByText('The linked VPN cannot be used').waitFor()
  await assertUsableOn(page, wideAndPhone, { picture: 'sites-dashboard-vpn' })
  assert.ok(vpn.records.has('photos.example.org A 10.99.0.1'))
})
