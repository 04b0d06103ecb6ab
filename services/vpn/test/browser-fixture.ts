import assert from 'node:assert/strict'
import {
  replacePassword,
  runCommand,
  startBrowser,
  startNewService,
  submitSignIn,
  type NewService,
} from '@hearth/testing'
import type { Page } from 'playwright-core'

/** The password of every account a browser test makes. */
export const password = 'tall-giraffe-on-ice-7'

/** Starts a service as a person would, with simulated tunnels, and a public endpoint unless `more` says otherwise. */
export const startFixture = (
  more: Record<string, string> = { PUBLIC_ENDPOINT: 'vpn.example.org' },
): Promise<NewService> => startNewService('vpn', { WIREGUARD_BACKEND: 'simulated', ...more })

/** Signs in for the first time: with the generated password, which `password` replaces. */
export async function firstSignIn({ service, firstPassword }: NewService, page: Page): Promise<void> {
  await page.goto(service.url)
  await submitSignIn(page, 'admin', firstPassword)
  await replacePassword(page, firstPassword, password)
}

/** Signs in and puts something on every page. */
export async function furnish(fixture: NewService, page: Page): Promise<void> {
  await firstSignIn(fixture, page)
  const words = ['vpn', 'token', 'create', '--user', 'admin', '--name', 'seed', '--permissions', 'full']
  const token = (await runCommand(words, fixture.environment)).stdout.trim()
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const reply = await fetch(`${fixture.service.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    assert.equal(reply.status, 201)
  }
  await post('/api/interfaces', { name: 'wg0', address: '10.8.0.1/24', address6: 'fd08::1/64', listen_port: 51_820 })
  for (const name of ['Phone', 'Laptop', 'A name of a device that is as long as the service lets it be, ok'])
    await post('/api/peers', { name, interface: 'wg0' })
  await post('/api/users', { username: 'reader', email: 'reader@example.org', password, role: 'user' })
}

/** A signed-in administrator's browser on one page of a service with something on every page. */
export async function openFurnished(path: string): Promise<AsyncDisposable & { fixture: NewService; page: Page }> {
  await using cleanup = new AsyncDisposableStack()
  const fixture = cleanup.use(await startFixture())
  const { page } = cleanup.use(await startBrowser())
  await furnish(fixture, page)
  await page.goto(`${fixture.service.url}${path}`)
  const resources = cleanup.move()
  return { fixture, page, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}
