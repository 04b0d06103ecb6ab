import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertAccessible, browserObstacle, plugIn, startBrowser, type TestBrowser } from '@hearth/testing'
import { testPassword } from './in-process.ts'
import { takePictures } from './portal-pictures.ts'
import { openPortalPlace, type PortalPlace } from './portal-place.ts'
import { caddyObstacle } from './real-caddy.ts'
import { startOrigin } from './served-sites.ts'

// Browsers look these names up nowhere, and take their certificates for passkeys.
const host = 'auth.localhost'
const skip = browserObstacle() || (caddyObstacle() ?? false)

let place: PortalPlace
let browser: TestBrowser
let port: number

before(async () => {
  if (skip !== false) return
  place = await openPortalPlace(host)
  browser = await startBrowser({ ignoreHTTPSErrors: true })
  port = place.sites.caddyPorts[1]
  await place.addVisitor('ann', ['family'])
  await place.protect('files.localhost', { groups: ['family'] })
  await place.protect('photos.localhost', {})
})
after(async () => {
  await browser?.[Symbol.asyncDispose]()
  await place?.[Symbol.asyncDispose]()
})

test('a visitor signs in, adds a passkey, signs out, and comes back with the passkey', { skip }, async () => {
  const { page } = browser
  await plugIn(page)
  await page.goto(`https://files.localhost:${port}/start?x=1`)
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await page.getByText('To continue to files.localhost').waitFor()
  await assertAccessible(page)
  await takePictures(browser.page, 'portal-sign-in')
  await page.getByLabel('User name').fill('ann')
  await page.getByLabel('Password or recovery code').fill('wrong-password-1')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('alert').getByText('is wrong').waitFor()
  await page.getByLabel('Password or recovery code').fill(testPassword)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByText('inside /start?x=1').waitFor()
  await page.goto(`https://photos.localhost:${port}/`)
  await page.getByText('inside /').waitFor()

  await page.goto(`https://${host}:${port}/`)
  await page.getByText('You are signed in as ann.').waitFor()
  await page.getByLabel('Name of the device').fill('Laptop')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('button', { name: 'Remove Laptop' }).waitFor()
  await page.getByRole('button', { name: 'Make new recovery codes' }).click()
  await page.getByText('Keep these codes in a safe place').waitFor()
  await assertAccessible(page)
  await takePictures(browser.page, 'portal-account')

  await page.getByRole('button', { name: 'Sign out of all sites' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await page.goto(`https://files.localhost:${port}/again`)
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await page.getByText('inside /again').waitFor()
  const names = (await browser.context.cookies()).map(({ name, domain }) => `${name} ${domain}`)
  assert.deepEqual(
    names.filter((name) => name.startsWith('__Host-hearth_site')).toSorted((one, other) => one.localeCompare(other)),
    ['__Host-hearth_site files.localhost', '__Host-hearth_site photos.localhost'],
  )
})

test('who may not visit a site sees why, and may sign in as somebody else', { skip }, async () => {
  const { page } = browser
  await place.addVisitor('bob')
  await browser.context.clearCookies()
  await page.goto(`https://files.localhost:${port}/`)
  await page.getByLabel('User name').fill('bob')
  await page.getByLabel('Password or recovery code').fill(testPassword)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'No access' }).waitFor()
  await assertAccessible(page)
  await takePictures(browser.page, 'portal-no-access')
  await page.getByRole('link', { name: 'Sign in as somebody else' }).click()
  await page.getByText('To continue to files.localhost').waitFor()
  await page.getByLabel('User name').fill('ann')
  await page.getByLabel('Password or recovery code').fill(testPassword)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByText('inside /').waitFor()
})

test('a visitor arrives at a site whose first page leads to another origin', { skip }, async () => {
  const { page } = browser
  await using elsewhere = await startOrigin('elsewhere', (_request, response) => response.end('arrived elsewhere'))
  await using leading = await startOrigin('leading', (_request, response) => {
    response.writeHead(302, { Location: elsewhere.url })
    response.end()
  })
  await place.protect('leading.localhost', {}, { upstreams: [{ url: leading.url }] })
  await browser.context.clearCookies()
  await page.goto(`https://leading.localhost:${port}/`)
  await page.getByLabel('User name').fill('ann')
  await page.getByLabel('Password or recovery code').fill(testPassword)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByText('arrived elsewhere').waitFor()
})
