import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browserObstacle, eventually, startBrowser } from '@hearth/testing'
import type { PortalSessionView } from '../src/portal/schema.ts'
import { apacheAddresses, apacheObstacle, apachePort, startApache } from './apache-application.ts'
import { testPassword } from './in-process.ts'
import { issuerOf, portalAnswers, register } from './openid-place.ts'
import { must, openPortalPlace } from './portal-place.ts'
import { caddyObstacle } from './real-caddy.ts'

const skip = browserObstacle() || (caddyObstacle() ?? apacheObstacle() ?? false)

test('a packaged application signs people in, hears that a session ended, and signs them out', { skip }, async () => {
  await using place = await openPortalPlace('auth.localhost')
  await place.addVisitor('ann', ['family'])
  const port = await apachePort()
  const { client, client_secret: secret } = await register(place, 'Apache', apacheAddresses(port))
  const issuer = issuerOf(place)
  await portalAnswers(place)
  await using apache = await startApache(port, { issuer, id: client.id, secret: secret ?? '' })
  await using browser = await startBrowser({ ignoreHTTPSErrors: true })
  const { page } = browser
  const open = async () => (await page.goto(`${apache.origin}/index.html`))?.headers()['x-signed-in']
  const signIn = async () => {
    await page.getByText('To continue to Apache.').waitFor()
    await page.getByLabel('User name').fill('ann')
    await page.getByLabel('Password or recovery code').fill(testPassword)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('Inside the application').waitFor()
  }

  await open()
  await signIn()
  assert.equal(await open(), 'ann')

  const [session] = await must<PortalSessionView[]>(place.admin, 'GET', '/api/v1/portal/sessions')
  await must(place.admin, 'DELETE', `/api/v1/portal/sessions/${session?.id ?? ''}`)
  await eventually(open, (name) => name === undefined, { what: 'Apache ends its session too' })
  await signIn()

  await page.goto(`${apache.origin}/callback?logout=${encodeURIComponent(`${apache.origin}/bye.html`)}`)
  await page.getByText('Apache signed you out.').waitFor()
  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.getByText('Signed out of the application').waitFor()
  await open()
  await page.getByText('To continue to Apache.').waitFor()
})
