import { readFile } from 'node:fs/promises'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { eventually, startBrowser, startServiceProcess, temporaryDirectory, type TestBrowser } from '@hearth/testing'

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
}

/** Makes the pictures of the README from a running service with simulated traffic. */
export async function takeScreenshots(images: string): Promise<void> {
  await using folder = await temporaryDirectory('screenshots')
  const environment = { DATA_DIR: folder.path, WIREGUARD_BACKEND: 'simulated', PUBLIC_ENDPOINT: 'vpn.example.org' }
  await using service = await startServiceProcess('vpn', { ...environment, RATE_LIMIT_EXEMPT: '127.0.0.1' })
  await using browser = await startBrowser({
    baseURL: service.url,
    viewport: { width: 1280, height: 800 },
    deviceScaleFactor: 1,
    reducedMotion: 'reduce',
  })
  await signIn(browser, (await readFile(join(folder.path, 'initial-admin-password'), 'utf8')).trim())
  await send(browser, '/api/interfaces', {
    name: 'wg0',
    address: '10.13.13.1/24',
    address6: 'fd13:13:13::1/64',
    listen_port: 51_820,
  })
  for (const name of devices) await send(browser, '/api/peers', { name, interface: 'wg0' })
  const traffic = spawn(
    process.execPath,
    [join(import.meta.dirname, '../../../cli/hearth.ts'), 'vpn', 'simulate-traffic'],
    {
      env: { ...process.env, ...environment },
      stdio: 'ignore',
    },
  )
  await take(browser, images)
  traffic.kill('SIGTERM')
  await once(traffic, 'exit')
}
