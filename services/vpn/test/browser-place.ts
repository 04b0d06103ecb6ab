import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runCommand, startBrowser, startServiceProcess, temporaryDirectory, type ServiceProcess } from '@hearth/testing'
import type { Page } from 'playwright-core'

/** The password of every account a browser test makes. */
export const password = 'tall-giraffe-on-ice-7'

/** A running service, and what a test needs to know of it. */
export type Place = AsyncDisposable & {
  service: ServiceProcess
  folder: string
  environment: Record<string, string>
  firstPassword: string
}

/** A service as a person would start it, with simulated tunnels, a public endpoint unless `more` says otherwise, and the password of its first start. */
export async function startPlace(
  more: Record<string, string> = { PUBLIC_ENDPOINT: 'vpn.example.org' },
): Promise<Place> {
  const folder = await temporaryDirectory('pages')
  const environment = { DATA_DIR: folder.path, WIREGUARD_BACKEND: 'simulated', ...more }
  const service = await startServiceProcess('vpn', environment)
  const firstPassword = (await readFile(join(folder.path, 'initial-admin-password'), 'utf8')).trim()
  return {
    service,
    folder: folder.path,
    environment,
    firstPassword,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

/** Fills and sends the sign-in form. */
export async function signIn(page: Page, name: string, secret: string): Promise<void> {
  await page.getByLabel('User name').fill(name)
  await page.getByLabel('Password', { exact: true }).fill(secret)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Answers the demand for a new password, and waits for the application. */
export async function changePassword(page: Page, from: string): Promise<void> {
  await page.getByLabel('Current password').fill(from)
  await page.getByLabel('New password', { exact: true }).fill(password)
  await page.getByLabel('New password again').fill(password)
  await page.locator('button[type=submit]').click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
}

/** Signs in and puts something on every page. */
export async function furnish(place: Place, page: Page): Promise<void> {
  await page.goto(place.service.url)
  await signIn(page, 'admin', place.firstPassword)
  await changePassword(page, place.firstPassword)
  const words = ['vpn', 'token', 'create', '--user', 'admin', '--name', 'seed', '--permissions', 'full']
  const token = (await runCommand(words, place.environment)).stdout.trim()
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const reply = await fetch(`${place.service.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    assert.equal(reply.status, 201)
  }
  await post('/api/interfaces', { name: 'wg0', address: '10.8.0.1/24', address6: 'fd08::1/64', listen_port: 51_820 })
  for (const name of ['Phone', 'Laptop', 'A name of a device that is as long as the service lets it be, ok'])
    await post('/api/peers', { name, interface: 'wg0' })
  await post('/api/users', { username: 'reader', email: 'reader@example.org', password, role: 'user' })
}

/** A signed-in administrator's browser on one page of a service with something on every page. */
export async function openFurnished(path: string): Promise<AsyncDisposable & { place: Place; page: Page }> {
  await using cleanup = new AsyncDisposableStack()
  const place = cleanup.use(await startPlace())
  const { page } = cleanup.use(await startBrowser({ viewport: { width: 1280, height: 900 } }))
  await furnish(place, page)
  await page.goto(`${place.service.url}${path}`)
  const resources = cleanup.move()
  return { place, page, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}
