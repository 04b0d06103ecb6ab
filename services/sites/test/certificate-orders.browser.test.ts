import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  assertAccessible,
  assertUsableOn,
  browserObstacle,
  eventually,
  startBrowser,
  visit,
  wideAndPhone,
} from '@hearth/testing'
import type { OrderView } from '../src/acme/schema.ts'
import { certificateAt, openOrderPlace, orderObstacle, type OrderPlace } from './order-place.ts'
import { tsigKey } from './name-server.ts'
import type { Page } from 'playwright-core'

const skip = browserObstacle() ?? (await orderObstacle()) ?? false

test('a wildcard is ordered in the browser and served by TLS', { skip }, async () => {
  await using place = await openOrderPlace()
  await using browser = await startBrowser()
  const { page } = browser
  const { sites, admin } = place
  const url = sites.url.replace('127.0.0.1', 'localhost')
  await browser.context.addCookies([...admin.cookies].map(([name, value]) => ({ name, value, url })))
  browser.context.setDefaultTimeout(30_000)
  await addProvider(page, url, place)
  await order(page, url)
  const [ordered] = (await admin.json<{ orders: OrderView[] }>('GET', '/api/certificate-orders')).body.orders
  await page.getByText(/^Issued for \*\.example\.org, valid until/).waitFor()
  await page.getByText('Valid', { exact: true }).waitFor()
  await assertUsableOn(page, wideAndPhone, { picture: 'sites-certificate-order' })
  await addSite(page, url)
  const [, port] = sites.caddyPorts
  const shown = await eventually(
    () => certificateAt(port, 'wiki.example.org'),
    ({ names }) => names.includes('example.org'),
  )
  assert.equal(shown.names, 'DNS:*.example.org')
  await failure(page, url, place)
  assert.equal((await place.find(ordered?.id ?? '')).state, 'valid')
  await revoke(page, `${url}/certificates/orders/${ordered?.id}`, place)
})

async function addProvider(page: Page, url: string, { names }: OrderPlace): Promise<void> {
  await visit(page, `${url}/certificates/dns`)
  await page.getByText('No DNS provider yet').waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Add provider' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a DNS provider' })
  await dialog.getByLabel('Name', { exact: true }).fill('Home zone')
  await dialog.getByLabel('Server').fill(names.address)
  await dialog.getByLabel('Key name').fill(tsigKey.name)
  await dialog.getByLabel('Key', { exact: true }).fill('no base64!')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await dialog.getByText('Must be the secret of the key in base64').waitFor()
  await assertUsableOn(page, wideAndPhone, { picture: 'sites-dns-provider' })
  await dialog.getByLabel('Key', { exact: true }).fill(tsigKey.secret)
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('cell', { name: 'Home zone', exact: true }).waitFor()
}

async function order(page: Page, url: string): Promise<void> {
  await visit(page, `${url}/certificates`)
  await page.getByText('No certificate is ordered by DNS').waitFor()
  await page.getByRole('button', { name: 'Order', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Order a certificate' })
  await dialog.getByLabel('Name', { exact: true }).fill('House wildcard')
  await dialog.getByLabel('Domains').fill('*.example.org')
  await assertUsableOn(page, wideAndPhone, { picture: 'sites-order-dialog' })
  await dialog.getByRole('button', { name: 'Order', exact: true }).click()
  await page.getByRole('heading', { name: 'House wildcard' }).waitFor()
  await page.getByText('The certificate is ordered').waitFor()
}

async function addSite(page: Page, url: string): Promise<void> {
  await visit(page, `${url}/sites/new`)
  await page.getByLabel('Name', { exact: true }).fill('All')
  await page.getByRole('combobox', { name: 'Domains' }).fill('*.example.org')
  await page.getByRole('combobox', { name: 'Domains' }).press('Enter')
  await page.getByLabel('Type').selectOption('respond')
  await page.getByRole('button', { name: 'TLS and HTTPS' }).click()
  await page.getByLabel('Certificate', { exact: true }).selectOption('custom')
  await page.getByLabel('Own certificate').selectOption({ label: 'House wildcard (*.example.org)' })
  await page.getByRole('button', { name: 'Add site', exact: true }).click()
  await page.getByText('Served').first().waitFor()
}

/** A wrong key is said in words, with what to do. */
async function failure(page: Page, url: string, place: OrderPlace): Promise<void> {
  const provider = await place.addProvider({ key_name: 'other' })
  const { id } = await place.order({ name: 'Broken', domains: ['broken.example.org'], provider_id: provider.id })
  await visit(page, `${url}/certificates/orders/${id}`)
  await page
    .getByText(/does not know the key/)
    .first()
    .waitFor()
  await page.getByText(/Check the key or token of the DNS provider/).waitFor()
  await page.getByRole('button', { name: 'Try now' }).waitFor()
  await assertUsableOn(page, wideAndPhone, { picture: 'sites-certificate-order-failed' })
  assert.equal((await place.admin.call('DELETE', `/api/certificate-orders/${id}`)).status, 200)
  await removeProvider(page, url, provider.name)
}

/** The removal names the records that stay, for nobody can remove them with the wrong key. */
async function removeProvider(page: Page, url: string, name: string): Promise<void> {
  await visit(page, `${url}/certificates/dns`)
  const button = page.getByRole('button', { name: `Remove ${name}`, exact: true })
  await button.click()
  const dialog = page.getByRole('dialog', { name: `Remove ${name}?` })
  const left = 'The TXT record _acme-challenge.broken.example.org in the zone example.org, which stays there'
  await dialog.getByText(left).waitFor()
  await assertUsableOn(page, wideAndPhone, { picture: 'sites-dns-provider-remove' })
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
  await button.waitFor({ state: 'detached' })
}

/** A certificate in use is ordered anew before the old one is revoked; then it is revoked for good. */
async function revoke(page: Page, address: string, { pebble, sites }: OrderPlace): Promise<void> {
  const { serial } = await certificateAt(sites.caddyPorts[1], 'wiki.example.org')
  await visit(page, address)
  await page.getByRole('link', { name: 'Site 1' }).waitFor()
  await page.getByRole('button', { name: 'Revoke', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Revoke the certificate of House wildcard?' })
  const isNewFirst = dialog.getByRole('checkbox', { name: 'Order a new certificate first' })
  assert.ok(await isNewFirst.isChecked())
  await isNewFirst.uncheck()
  await dialog.getByText(/^Site 1: browsers may refuse the revoked certificate/).waitFor()
  await assertUsableOn(page, wideAndPhone, { picture: 'sites-certificate-revoke' })
  await isNewFirst.check()
  await dialog.getByLabel('Reason').selectOption('superseded')
  await dialog.getByRole('button', { name: 'Order and revoke' }).click()
  await page.getByText(`serial number ${serial}`).first().waitFor()
  assert.equal((await pebble.certificate(serial))?.Status, 'Revoked')
  await page.getByText('Valid', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Revoke', exact: true }).click()
  await isNewFirst.uncheck()
  await dialog.getByRole('button', { name: 'Revoke', exact: true }).click()
  await page.getByText('Revoked', { exact: true }).first().waitFor()
  await page.getByRole('button', { name: 'Order again' }).waitFor()
  await assertUsableOn(page, wideAndPhone, { picture: 'sites-certificate-revoked' })
}
