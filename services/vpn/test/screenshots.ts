import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { eventually, startBrowser, type TestBrowser } from '@hearth/testing'
import { addHistory, startNamesFixture, untilLogged, type NamesFixture } from './names-fixture.ts'

const password = 'tall-giraffe-on-ice-7'
const devices = ['Ada’s phone', 'Laptop', 'Tablet', 'Living room TV', 'NAS', 'Office PC', 'Guest', 'Weather station']

async function send(browser: TestBrowser, path: string, body: object): Promise<void> {
  const session = await browser.page.request.get('/api/session')
  const { data } = (await session.json()) as { data: { csrf_token: string } }
  const reply = await browser.page.request.post(path, { data: body, headers: { 'x-csrf-token': data.csrf_token } })
  if (!reply.ok()) throw new Error(`${path}: ${await reply.text()}`)
}

async function signIn(browser: TestBrowser, first: string): Promise<void> {
  const { request } = browser.page
  await request.post('/api/session', { data: { username: 'admin', password: first } })
  await send(browser, '/api/session/password', { current_password: first, new_password: password })
}

async function take(browser: TestBrowser, images: string): Promise<void> {
  const { page } = browser
  await page.goto('/')
  await page.getByRole('heading', { level: 1 }).waitFor()
  // The traffic line needs some samples to be worth a picture.
  await page.waitForTimeout(45_000)
  await page.screenshot({ path: join(images, 'vpn-overview.png') })
  await page.goto('/peers')
  await page.getByText('Laptop').first().waitFor()
  await page.screenshot({ path: join(images, 'vpn-peers.png') })
  await page.getByRole('button', { name: 'Connect Laptop' }).click()
  await page.getByRole('img', { name: /QR code/ }).waitFor()
  await eventually(() => page.evaluate('document.querySelector("img.qr-code").complete'), Boolean)
  await page.screenshot({ path: join(images, 'vpn-connect.png') })
  await takeNames(browser, images)
}

async function takeNames({ page }: TestBrowser, images: string): Promise<void> {
  await page.goto('/dns')
  await page.locator('canvas').waitFor()
  await page.screenshot({ path: join(images, 'vpn-dns.png') })
  await page.goto('/dns/log')
  await page.getByRole('table', { name: 'Queries' }).waitFor()
  await page.screenshot({ path: join(images, 'vpn-dns-log.png') })
  await page.goto('/dns/log?why=shop.vendor.example')
  await page.getByText('Targets of the name').waitFor()
  await page.screenshot({ path: join(images, 'vpn-dns-why.png') })
  await page.goto('/traffic')
  await page.locator('canvas').waitFor()
  await page.screenshot({ path: join(images, 'vpn-traffic.png') })
  await page.goto('/traffic/countries')
  await page.getByRole('table', { name: 'Countries' }).waitFor()
  await page.screenshot({ path: join(images, 'vpn-countries.png') })
}

const lookedUp = ['www.wikipedia.example', 'ads.shop.example', 'mail.example', 'api.weather.example', 'tracker.example']

/** Fills the log with what a household asks for. */
async function lookUp(fixture: NamesFixture): Promise<void> {
  await fixture.call('POST', '/api/dns/blocklists', { name: 'Trackers', url: fixture.listUrl('/trackers') })
  await fixture.call('POST', '/api/dns/blocklists/update')
  await fixture.call('POST', '/api/dns/rules', { action: 'block', domain: 'mail.example' })
  for (let round = 0; round < 8; round++)
    await fixture.look(...lookedUp, 'shop.vendor.example', `img${round}.cdn.example`)
  await untilLogged(fixture, 56)
}

/** Makes the pictures of the README from a running service with simulated traffic, and a filter that works. */
export async function takeScreenshots(images: string): Promise<void> {
  await using fixture = await startNamesFixture(devices)
  await addHistory(fixture)
  await lookUp(fixture)
  await using browser = await startBrowser({
    baseURL: fixture.service.url,
    viewport: { width: 1280, height: 800 },
    deviceScaleFactor: 1,
  })
  await signIn(browser, fixture.firstPassword)
  const traffic = spawn(
    process.execPath,
    [join(import.meta.dirname, '../../../cli/hearth.ts'), 'vpn', 'simulate-traffic'],
    {
      env: { ...process.env, ...fixture.environment },
      stdio: 'ignore',
    },
  )
  await take(browser, images)
  traffic.kill('SIGTERM')
  await once(traffic, 'exit')
}
