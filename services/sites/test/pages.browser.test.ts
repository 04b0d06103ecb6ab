import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertUsableOn, browserObstacle, settled, signIn, visit, wideAndPhone } from '@hearth/testing'
import { testPassword } from './in-process.ts'
import type { Page } from 'playwright-core'
import { openPlace } from './browser-place.ts'
import { caddyObstacle } from './real-caddy.ts'

const obstacle = browserObstacle()
const skip = obstacle === false ? (caddyObstacle() ?? false) : obstacle

const paths = [
  '/',
  '/sites',
  '/uptime',
  '/certificates',
  '/revisions',
  '/servers',
  '/users',
  '/security-log',
  '/settings',
  '/settings/notifications',
  '/settings/vpn',
  '/account',
  '/onboarding',
  '/welcome',
  '/import',
  '/nowhere',
]

/** Dialogs, by the page they are on and the button that opens them. */
const dialogs = [
  ['/servers', 'Add server'],
  ['/users', 'Edit reader'],
  ['/users', 'Delete reader'],
  ['/settings', 'Register'],
  ['/uptime', 'Plan maintenance'],
  ['/uptime', 'Add status page'],
  ['/account', 'Add a passkey'],
  ['/account', 'Change password'],
] as const

/** Looks at the page as it stands, wide and light, then on a phone in the dark. */
async function assertFits(page: Page): Promise<void> {
  await assertUsableOn(page, wideAndPhone)
  assert.match(await page.title(), /Hearth Sites/)
}

test('every page and dialog is accessible and fits the screen, on desktop and phone', { skip }, async () => {
  await using place = await openPlace({ caddy: true })
  const { page, sites, url } = place
  await sites.signIn()
  await sites.addUser('reader', 'user')
  await visit(page, url)
  await settled(page)
  await assertFits(page)
  await page.getByRole('button', { name: 'Use a recovery code' }).click()
  await assertFits(page)
  await page.getByRole('button', { name: 'Use the password' }).click()
  await signIn(page, 'admin', testPassword)
  for (const path of paths) {
    await visit(page, `${url}${path}`)
    await settled(page)
    await assertFits(page)
  }
  for (const [path, name] of dialogs) {
    await visit(page, `${url}${path}`)
    await settled(page)
    await page.getByRole('button', { name, exact: true }).click()
    await page.getByRole('dialog').waitFor()
    await assertFits(page)
  }
})
