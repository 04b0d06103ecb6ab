import { test } from 'node:test'
import { browserObstacle, freePort, startBrowser } from '@hearth/testing'
import { startOpenIdProvider } from '@hearth/testing/openid-provider'
import { testPortalConnectionPages } from '@hearth/testing/test-portal-connection'
import { firstSignIn, password, startFixture } from './browser-fixture.ts'

test(
  'an administrator connects a portal in the settings; people sign in by its button until it is disconnected',
  { skip: browserObstacle() },
  async () => {
    const port = String(await freePort())
    const publicUrl = `http://localhost:${port}`
    await using portal = await startOpenIdProvider({ publicUrl, path: '/api/openid' })
    await using fixture = await startFixture({ PUBLIC_URL: publicUrl, BIND_PORT: port, RATE_LIMIT_EXEMPT: '127.0.0.1' })
    await using browser = await startBrowser()
    const { page } = browser
    portal.person = { ...portal.person, groups: ['admins'] }
    await firstSignIn({ ...fixture, service: { ...fixture.service, url: publicUrl } }, page)
    const pages = { settings: `${publicUrl}/settings`, signIn: publicUrl, password, service: 'vpn' }
    await testPortalConnectionPages(page, pages, portal)
  },
)

test(
  'without PUBLIC_URL, and at another address, the settings say what is needed',
  { skip: browserObstacle() },
  async () => {
    await using fixture = await startFixture()
    await using browser = await startBrowser()
    const { page } = browser
    await firstSignIn(fixture, page)
    await page.goto(`${fixture.service.url}/settings`)
    const section = page.getByRole('region', { name: 'Sign in with Hearth' })
    await section.getByText('PUBLIC_URL is not set').waitFor()
    const connections = '**/api/openid/connection'
    await page.route(connections, async (route) => {
      const response = await route.fetch()
      const { data, ...rest } = (await response.json()) as { data: object }
      const json = { ...rest, data: { ...data, obstacle: null, public_url: 'https://vpn.example.org' } }
      await route.fulfill({ response, json })
    })
    await page.reload()
    await section.getByRole('link', { name: 'open this page there' }).waitFor()
    await page.unroute(connections)
    await page.route(connections, (route) =>
      route.fulfill({ status: 500, json: { error: 'Oops', message: 'It is broken' } }),
    )
    await page.reload()
    await section.getByText('It is broken').waitFor()
  },
)
