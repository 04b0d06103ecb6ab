import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  assertUsableOn,
  browserObstacle,
  everyScreen,
  freePort,
  startBrowser,
  temporaryDirectory,
} from '@hearth/testing'
import { furnish, startFixture } from './browser-fixture.ts'
import { createAuthority } from './certificates.ts'

test(
  'a peer gets an address for outside the tunnel, shown once, renewed and withdrawn',
  { skip: browserObstacle() },
  async () => {
    await using cleanup = new AsyncDisposableStack()
    const authority = cleanup.use(await createAuthority())
    const folder = cleanup.use(await temporaryDirectory('private-dns-page'))
    await authority.issue('dns.example.org', ['*.dns.example.org'])
    const files = join(authority.path, '..', 'dns.example.org')
    const fixture = cleanup.use(
      await startFixture({
        PUBLIC_ENDPOINT: 'vpn.example.org',
        DNS_TLS_NAME: 'dns.example.org',
        DNS_TLS_LISTEN: `127.0.0.1:${await freePort()}`,
        DNS_HTTPS_LISTEN: `127.0.0.1:${await freePort()}`,
        DNS_TLS_CERTIFICATE: join(files, 'cert.pem'),
        DNS_TLS_KEY: join(files, 'key.pem'),
      }),
    )
    const { page } = cleanup.use(await startBrowser({ acceptDownloads: true }))
    await furnish(fixture, page)
    await page.goto(`${fixture.service.url}/peers`)
    await page.getByRole('link', { name: 'Phone' }).click()
    const drawer = page.getByRole('dialog', { name: 'Phone' })
    await drawer.getByRole('button', { name: 'Make an address' }).click()
    const dialog = page.getByRole('dialog', { name: 'Set up the device now' })
    const host = (await dialog.getByLabel('Host name', { exact: true }).textContent()) ?? ''
    assert.match(host.trim(), /^[a-z2-7]{32}\.dns\.example\.org$/)
    await dialog.getByRole('img', { name: 'QR code: Host name' }).waitFor()
    await assertUsableOn(page, everyScreen, { picture: 'vpn-private-dns-made' })
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Save profile' }).click(),
    ])
    assert.equal(download.suggestedFilename(), 'Phone.mobileconfig')
    const path = join(folder.path, 'profile')
    await download.saveAs(path)
    assert.match(
      await readFile(path, 'utf8'),
      /<key>ServerURL<\/key><string>https:\/\/dns\.example\.org:\d+\/dns-query\//,
    )
    await dialog.getByRole('button', { name: 'I have it' }).click()

    await drawer.getByText('Has an address').waitFor()
    await drawer.getByRole('button', { name: 'New address' }).click()
    await page.getByRole('button', { name: 'Make a new address' }).click()
    const renewed = (await dialog.getByLabel('Host name', { exact: true }).textContent()) ?? ''
    assert.notEqual(renewed, host)
    await dialog.getByRole('button', { name: 'I have it' }).click()
    await assertUsableOn(page, everyScreen, {
      ready: drawer.getByText('Has an address'),
      picture: 'vpn-private-dns-peer',
    })
    await drawer.getByRole('button', { name: 'Withdraw' }).click()
    await page.getByRole('button', { name: 'Withdraw address' }).click()
    await drawer.getByRole('button', { name: 'Make an address' }).waitFor()

    await page.goto(`${fixture.service.url}/dns/settings`)
    const section = page.getByText('Addresses are made on the page of a peer')
    await section.waitFor()
    await page.getByText('The certificate of Private DNS ends soon').waitFor()
    await assertUsableOn(page, everyScreen, { ready: section, picture: 'vpn-private-dns-settings' })
  },
)
