import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertUsableOn, browserObstacle, screenshot, settled, wideAndPhone } from '@hearth/testing'
import type { OpenIdClientList } from '../src/openid-provider/schema.ts'
import { caddyObstacle } from './real-caddy.ts'
import { makeSite } from './served.ts'
import { openSitesPlace } from './sites-place.ts'

const skip = browserObstacle() || (caddyObstacle() ?? false)

test('an administrator adds an application by its kind, and gets the lines to type into it', { skip }, async () => {
  await using place = await openSitesPlace()
  const { admin, page } = place
  await makeSite(admin, { site_name: 'Sign-in', domains: ['auth.test'], kind: 'portal', tls: { mode: 'internal' } })
  const shoot = async (name: string) => {
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 })
      await screenshot(page, `sites-applications-${name}-${width}`)
    }
    await page.setViewportSize({ width: 1280, height: 900 })
  }

  await place.goTo('/applications')
  await page.getByText('No application yet').waitFor()
  await settled(page)
  await assertUsableOn(page, wideAndPhone)
  await shoot('empty')
  await page.getByRole('button', { name: 'Add application' }).click()
  const form = page.getByRole('dialog', { name: 'Add an application' })
  await form.getByLabel('Kind').selectOption('Nextcloud')
  await form.getByLabel('Address', { exact: true }).fill('http://cloud.example.org/')
  assert.equal(await form.getByLabel('Name', { exact: true }).inputValue(), 'Nextcloud')
  await form.getByRole('button', { name: 'Add application' }).click()
  await form.getByText('Must use https; http is for loopback alone').first().waitFor()
  await form.getByLabel('Address', { exact: true }).fill('https://cloud.example.org/')
  await assertUsableOn(page, wideAndPhone)
  await shoot('form')
  await form.getByRole('button', { name: 'Add application' }).click()

  const made = page.getByRole('dialog', { name: 'Set up Nextcloud' })
  const secret = await made.getByLabel('Client secret').innerText()
  assert.match(secret, /^[\w-]{43}$/)
  const { body } = await admin.json<OpenIdClientList>('GET', '/api/v1/openid/clients')
  const [client] = body.clients
  assert.deepEqual(client?.redirect_uris, ['https://cloud.example.org/apps/user_oidc/code'])
  const lines = await made.getByLabel('Lines for the application').innerText()
  for (const value of [client?.id, secret, 'https://auth.test/.well-known/openid-configuration'])
    assert.ok(lines.includes(value ?? '-'), lines)
  assert.doesNotMatch(lines, /[{}]/)
  await settled(page)
  await assertUsableOn(page, wideAndPhone)
  await shoot('made')
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Change: Nextcloud' }).click()
  const change = page.getByRole('dialog', { name: 'Change Nextcloud' })
  await change.getByLabel('Consent').selectOption('Each user is asked once')
  await change.getByRole('button', { name: 'Save' }).click()
  await change.waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Set up: Nextcloud' }).click()
  await page.getByRole('button', { name: 'Make a new secret' }).click()
  const asked = page.getByRole('dialog', { name: 'New secret for Nextcloud?' })
  await asked.getByRole('button', { name: 'Make new secret' }).click()
  const renewed = await page.getByRole('dialog', { name: 'Set up Nextcloud' }).getByLabel('Client secret').innerText()
  assert.notEqual(renewed, secret)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Rotate now' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate now' }).click()
  await page.getByRole('cell', { name: 'Signs now' }).waitFor()
  await settled(page)
  await assertUsableOn(page, wideAndPhone)
  await shoot('list')
  await page.getByRole('button', { name: 'Delete: Nextcloud' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete application' }).click()
  await page.getByText('No application yet').waitFor()
})
