import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertAccessible, browserObstacle } from '@hearth/testing'
import type { Page } from 'playwright-core'
import { enter, openPlace, settled, visit } from './browser-place.ts'
import { caddyObstacle } from './real-caddy.ts'

const obstacle = browserObstacle()
const skip = obstacle === false ? (caddyObstacle() ?? false) : obstacle

const paths = [
  '/',
  '/sites',
  '/certificates',
  '/revisions',
  '/servers',
  '/users',
  '/settings',
  '/account',
  '/onboarding',
  '/welcome',
  '/nowhere',
]

/** Dialogs, by the page they are on and the button that opens them. */
const dialogs = [
  ['/servers', 'Add server'],
  ['/users', 'Edit reader'],
  ['/users', 'Delete reader'],
  ['/settings', 'Register'],
  ['/account', 'Add a passkey'],
  ['/account', 'Change password'],
] as const

async function assertFits(page: Page, what: string): Promise<void> {
  await assertAccessible(page)
  const overflow = Number(
    await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
  )
  assert.ok(overflow <= 0, `${what} is ${overflow} px wider than the screen`)
  assert.match(await page.title(), /Hearth Sites/)
}

test(
  'every page and dialog is accessible, wide and on a phone, and nothing is wider than the screen',
  {
    skip,
  },
  async () => {
    await using place = await openPlace({ caddy: true })
    const { page, sites, url } = place
    await sites.signIn()
    await sites.addUser('reader', 'user')
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [390, 'dark'],
    ] as const) {
      await page.context().clearCookies()
      await page.setViewportSize({ width, height: 844 })
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await visit(page, url)
      await settled(page)
      await assertFits(page, 'the sign-in')
      await page.getByRole('button', { name: 'Use a recovery code' }).click()
      await assertFits(page, 'the recovery')
      await page.getByRole('button', { name: 'Use the password' }).click()
      await enter(page, 'admin')
      for (const path of paths) {
        await visit(page, `${url}${path}`)
        await settled(page)
        await assertFits(page, path)
      }
      for (const [path, name] of dialogs) {
        await visit(page, `${url}${path}`)
        await settled(page)
        await page.getByRole('button', { name, exact: true }).click()
        await page.getByRole('dialog').waitFor()
        await assertFits(page, `${path}, ${name}`)
      }
    }
  },
)
