import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { assertAccessible, browserObstacle, plugIn, startBrowser, type TestBrowser } from '@hearth/testing'
import { buildEndSessionUrl, fetchUserInfo } from 'openid-client'
import { testPassword } from './in-process.ts'
import { issuerOf, openApplication, type Application, type Attempt } from './openid-place.ts'
import { takePictures } from './portal-pictures.ts'
import { openPortalPlace, type PortalPlace } from './portal-place.ts'
import { caddyObstacle } from './real-caddy.ts'

// Browsers look this name up nowhere, and take its certificate for passkeys.
const host = 'auth.localhost'
const skip = browserObstacle() || (caddyObstacle() ?? false)

let place: PortalPlace
let browser: TestBrowser
let app: Awaited<ReturnType<typeof startApp>>

before(async () => {
  if (skip !== false) return
  place = await openPortalPlace(host)
  await place.addVisitor('ann', ['family'])
  await place.addVisitor('bob')
  app = await startApp(place)
  browser = await startBrowser({ ignoreHTTPSErrors: true })
})
after(async () => {
  await browser?.[Symbol.asyncDispose]()
  await app?.[Symbol.asyncDispose]()
  await place?.[Symbol.asyncDispose]()
})

/** An application on loopback with a page for whoever signed in. */
async function startApp(at: PortalPlace) {
  let attempt: Attempt | undefined
  let hint = ''
  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`
  const application: Application = await openApplication(at, 'Photos', {
    redirect_uris: [`${origin}/callback`],
    post_logout_redirect_uris: [`${origin}/bye`],
    groups: ['family'],
    consent: 'asked',
  })
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '', origin)
    const lead = (url: URL) => response.writeHead(302, { location: url.href }).end()
    const show = (text: string) =>
      response.setHeader('content-type', 'text/html').end(`<title>App</title><p>${text}</p>`)
    if (pathname === '/sign-in') return void lead((attempt = await application.begin()).url)
    if (pathname === '/sign-out') {
      const parameters = { id_token_hint: hint, post_logout_redirect_uri: `${origin}/bye` }
      return void lead(buildEndSessionUrl(application.configuration, parameters))
    }
    if (pathname !== '/callback' || attempt === undefined) return void show(pathname)
    try {
      const tokens = await application.finish(attempt, new URL(request.url ?? '', origin))
      hint = tokens.id_token ?? ''
      const sub = tokens.claims()?.sub ?? ''
      const person = await fetchUserInfo(application.configuration, tokens.access_token, sub)
      show(`Hello ${person.preferred_username ?? ''}, by ${JSON.stringify(tokens.claims()?.['amr'])}`)
    } catch (error) {
      show(`Not signed in: ${(error as { error?: string }).error ?? String(error)}`)
    }
  }
  return {
    origin,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

test(
  'a person signs in to an application with a passkey, agrees once, and signs out everywhere',
  { skip },
  async () => {
    const { page } = browser
    await plugIn(page)
    await page.goto(issuerOf(place))
    await signIn('ann')
    await page.getByLabel('Name of the device').fill('Laptop')
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('button', { name: 'Remove Laptop' }).waitFor()
    await page.getByRole('button', { name: 'Sign out of all sites' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()

    await page.goto(`${app.origin}/sign-in`)
    await page.getByText('To continue to Photos.').waitFor()
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByText('Photos gets to know').waitFor()
    await assertAccessible(page)
    await takePictures(browser.page, 'portal-consent')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('Hello ann, by ["pop","user"]').waitFor()
    await page.goto(`${app.origin}/sign-in`)
    await page.getByText('Hello ann').waitFor()

    await page.goto(`${app.origin}/sign-out`)
    await page.getByText('Photos signed you out.').waitFor()
    await assertAccessible(page)
    await takePictures(browser.page, 'portal-sign-out')
    await page.getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.getByText('/bye').waitFor()
    await page.goto(`${app.origin}/sign-in`)
    await page.getByText('To continue to Photos.').waitFor()
  },
)

test('who may not use an application sees why, and goes back or signs in as somebody else', { skip }, async () => {
  const { page } = browser
  await browser.context.clearCookies()
  await page.goto(`${app.origin}/sign-in`)
  await signIn('bob')
  await page.getByText('who may not use Photos').waitFor()
  await assertAccessible(page)
  await takePictures(browser.page, 'portal-application-refused')
  await page.getByRole('button', { name: 'Back to Photos' }).click()
  await page.getByText('Not signed in: access_denied').waitFor()
  await page.goto(`${app.origin}/sign-in`)
  await page.getByRole('link', { name: 'Sign in as somebody else' }).click()
  await signIn('ann')
  await page.getByText('Hello ann, by ["pwd"]').waitFor()
})

test('a sign-in that cannot go on says so on a page', { skip }, async () => {
  const { page } = browser
  const answer = await page.goto(`${issuerOf(place)}/oidc/auth?client_id=nobody&redirect_uri=https://evil.test/`)
  assert.equal(answer?.status(), 400)
  await page.getByText('No application with this client id is registered here.').waitFor()
  await assertAccessible(page)
  await takePictures(browser.page, 'portal-application-unknown')
})

async function signIn(username: string): Promise<void> {
  const { page } = browser
  await page.getByLabel('User name').fill(username)
  await page.getByLabel('Password or recovery code').fill(testPassword)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}
