import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertUsableOn, browserObstacle, everyScreen, settled, showOn, signIn, visit } from '@hearth/testing'
import type { Page } from 'playwright-core'
import { openPlace } from './browser-place.ts'
import { testPassword } from './in-process.ts'

const skip = browserObstacle()

/** Looks at the page as it stands, wide and on a phone, light and dark. */
async function assertFits(page: Page): Promise<void> {
  await assertUsableOn(page, everyScreen)
}

test('a token is made, shown once, used and revoked on the account page', { skip }, async () => {
  await using place = await openPlace({}, { API_TOKENS: 'on' })
  const { page, sites, url } = place
  await sites.signIn()
  await visit(page, `${url}/account`)
  await signIn(page, 'admin', testPassword)
  await settled(page)
  await page.getByText('No API tokens yet').waitFor()
  await page.getByRole('button', { name: 'Create token' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create API token' })
  await dialog.getByLabel('Name').fill('Deploy script')
  await dialog.getByLabel('Permissions').selectOption({ label: 'Read, edit and apply sites' })
  await dialog.getByLabel('Only from these addresses').fill('127.0.0.0/8\nnonsense')
  await assertFits(page)
  await dialog.getByRole('button', { name: 'Create token' }).click()
  await dialog
    .getByText(/^Must be an IP address or a network/)
    .first()
    .waitFor()
  await dialog.getByLabel('Only from these addresses').fill('127.0.0.0/8')
  await dialog.getByRole('button', { name: 'Create token' }).click()
  const value = await page.getByLabel('Token value').textContent()
  assert.match(value ?? '', /^hsit_/)
  await assertFits(page)
  const send = () => fetch(`${sites.url}/api/sites`, { headers: { authorization: `Bearer ${value}` } })
  assert.equal((await send()).status, 200)
  await page.getByRole('button', { name: 'I have it' }).click()
  await showOn(page, [1280, 'light'])
  await page.reload()
  await settled(page)
  const row = page.getByRole('row', { name: /Deploy script/ })
  await row.getByText('Edit sites').waitFor()
  await row.getByText('127.0.0.0/8').waitFor()
  assert.ok(!(await page.content()).includes(value ?? ''))
  await assertFits(page)
  await showOn(page, [1280, 'light'])
  await page.getByRole('button', { name: 'Revoke Deploy script' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke token' }).click()
  await page.getByText('No API tokens yet').waitFor()
  assert.equal((await send()).status, 401)
})

test(
  'without the setting the page says nothing of tokens, and a user may only make tokens that read',
  { skip },
  async () => {
    await using place = await openPlace({})
    const { page, sites } = place
    await sites.signIn()
    await sites.addUser('reader', 'user')
    await visit(page, `${place.url}/account`)
    await signIn(page, 'reader', testPassword)
    await page.getByRole('heading', { name: 'Sessions' }).waitFor()
    assert.equal(await page.getByText('API tokens').count(), 0)
    await sites.restart({ API_TOKENS: 'on' })
    await visit(page, `${place.url}/account`)
    await page.getByRole('button', { name: 'Create token' }).click()
    const options = page.getByRole('dialog').getByLabel('Permissions').locator('option')
    assert.deepEqual(await options.allTextContents(), ['Read'])
  },
)
