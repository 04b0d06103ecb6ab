import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertUsableOn, browserObstacle, everyScreen, settled, signIn, startBrowser, visit } from '@hearth/testing'
import { startMedia } from './in-process.ts'

const account = { username: 'ada', password: 'correct horse battery' }

test('a token is made, used and revoked in the settings', { skip: browserObstacle() }, async () => {
  await using media = await startMedia({ API_TOKENS: 'on' })
  await using browser = await startBrowser()
  const { page } = browser
  const place = `${media.url}/settings?tab=access`
  await visit(page, place)
  await page.getByRole('button', { name: 'Turn sign-in on' }).waitFor()
  assert.equal(await page.getByText('API tokens').count(), 0, 'while sign-in is off nobody needs one')
  const json = { enable_authentication: true, admin_username: account.username, admin_password: account.password }
  await media.json('POST', '/api/settings', { json })
  await visit(page, place)
  await signIn(page, account.username, account.password)
  await visit(page, place)
  await settled(page)
  await page.getByRole('button', { name: 'Create token' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create API token' })
  await dialog.getByLabel('Name').fill('Phone')
  await dialog.getByLabel('Permissions').selectOption({ label: 'Read, submit and work on jobs' })
  await dialog.getByRole('button', { name: 'Create token' }).click()
  const value = await page.getByLabel('Token value').textContent()
  await page.getByRole('button', { name: 'I have it' }).click()
  await page.getByRole('row', { name: /Phone/ }).getByText('Submit').waitFor()
  await assertUsableOn(page, everyScreen)
  const send = () => fetch(`${media.url}/api/jobs`, { headers: { authorization: `Bearer ${value}` } })
  assert.equal((await send()).status, 200)
  await page.getByRole('button', { name: 'Revoke Phone' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke token' }).click()
  await page.getByText('No API tokens yet').waitFor()
  assert.equal((await send()).status, 401)
})
