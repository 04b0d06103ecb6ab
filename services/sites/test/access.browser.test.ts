import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertUsableOn, browserObstacle, screenshot, settled, wideAndPhone } from '@hearth/testing'
import type { Page } from 'playwright-core'
import type { Site } from '../src/sites/schema.ts'
import { testPassword } from './in-process.ts'
import { caddyObstacle } from './real-caddy.ts'
import { makeSite } from './served.ts'
import { openSitesPlace, startSayingServer } from './sites-place.ts'

const skip = browserObstacle() || (caddyObstacle() ?? false)

test('an administrator protects a site, adds a visitor, and sees why they may visit it', { skip }, async () => {
  await using server = await startSayingServer('hello')
  await using place = await openSitesPlace()
  const { admin, page } = place
  const tls = { mode: 'internal' }
  const upstreams = [{ url: server.url }]
  const site = await makeSite(admin, { site_name: 'Files', domains: ['files.test'], tls, upstreams })

  await place.goTo(`/sites/${site.id}`)
  await openSignIn(page)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('needs an enabled site of kind portal').first().waitFor()
  const portal = await makeSite(admin, { site_name: 'Sign-in', domains: ['auth.test'], kind: 'portal', tls })
  await place.goTo(`/sites/${portal.id}`)
  await page.getByText('Visitors of protected sites sign in here').waitFor()

  await place.goTo('/access')
  await page.getByRole('button', { name: 'Add group' }).click()
  const group = page.getByRole('dialog', { name: 'Add a group' })
  await group.getByLabel('Name').fill('family')
  await group.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('cell', { name: 'family', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Add visitor' }).click()
  const visitor = page.getByRole('dialog', { name: 'Add a visitor' })
  await visitor.getByLabel('User name').fill('ann')
  await visitor.getByLabel('E-mail').fill('ann@home.test')
  await visitor.getByLabel('First password').fill(testPassword)
  const chosen = visitor.getByRole('combobox', { name: 'Groups' })
  await chosen.fill('family')
  await page.getByRole('option', { name: 'family' }).click()
  await chosen.press('Tab')
  await visitor.getByLabel('Ask for a new password').uncheck()
  await visitor.getByRole('button', { name: 'Add visitor' }).click()
  await page.getByRole('cell', { name: 'ann', exact: true }).waitFor()

  await place.goTo(`/sites/${site.id}`)
  await openSignIn(page)
  const allowed = page.getByRole('combobox', { name: 'Groups that may visit' })
  await allowed.fill('family')
  await allowed.press('Enter')
  await page.getByRole('button', { name: 'Add a rule' }).click()
  await page.getByRole('group', { name: 'Rule 1' }).getByLabel('Path', { exact: true }).fill('/share')
  await assertUsableOn(page, wideAndPhone)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('visitors sign in').first().waitFor()
  const { body } = await admin.json<Site>('GET', `/api/sites/${site.id}`)
  assert.deepEqual(
    [body.sign_in?.groups, body.sign_in?.rules.map(({ path, access }) => [path, access])],
    [['family'], [['/share', 'open']]],
  )

  await place.goTo('/access')
  await page.getByLabel('Address', { exact: true }).fill('https://files.test/')
  await page.getByLabel('Visitor', { exact: true }).selectOption('ann')
  await page.getByRole('button', { name: 'Explain' }).click()
  await page.getByText('ann is one of them').waitFor()
  await settled(page)
  await assertUsableOn(page, wideAndPhone)
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 })
    await page.evaluate('scrollTo(0, 0)')
    await screenshot(page, `sites-access-${width}`)
  }
})

/** Unfolds the sections of the editor, and switches the sign-in on. */
async function openSignIn(page: Page): Promise<void> {
  await settled(page)
  const folds = page.locator('.editor-sections').getByRole('button', { expanded: false })
  for (let left = await folds.count(); left > 0; left -= 1) await folds.first().click()
  await page.getByRole('switch', { name: 'Visitors sign in first' }).check({ force: true })
}
