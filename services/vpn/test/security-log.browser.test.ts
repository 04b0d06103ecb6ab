import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertUsable, browserObstacle } from '@hearth/testing'
import { openFurnished, password } from './browser-fixture.ts'

test('the security log is searched, filtered and saved as a file', { skip: browserObstacle() }, async () => {
  await using opened = await openFurnished('/peers')
  const { page, fixture } = opened
  const { url } = fixture.service
  const signIn = (username: string, secret: string) =>
    fetch(`${url}/api/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'guesser/1.0' },
      body: JSON.stringify({ username, password: secret }),
    })
  assert.equal((await signIn('reader', 'a-wrong-guess')).status, 401)
  assert.equal((await signIn('reader', password)).status, 200)
  await page.getByRole('button', { name: 'Account of admin' }).click()
  await page.getByRole('menuitem', { name: 'Security log' }).click()
  const log = page.getByRole('table', { name: 'Security log' })
  await log
    .getByRole('row', { name: /Sign-in refused.*reader.*Wrong name or password.*127\.0\.0\.1.*guesser/s })
    .waitFor()
  await log.getByRole('row', { name: /Token created.*Command line.*seed/s }).waitFor()
  await assertUsable(page)
  await page.getByRole('combobox', { name: 'Event' }).selectOption({ label: 'Signed in' })
  await page.getByRole('searchbox', { name: 'Search users and addresses' }).fill('READ')
  await log.getByRole('row', { name: /Signed in.*reader/s }).waitFor()
  await log.getByRole('row', { name: /admin/ }).first().waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Export' }).click()
  const saved = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: /CSV/ }).click()
  const file = await saved
  assert.equal(file.suggestedFilename(), 'security-log.csv')
  await page.getByRole('searchbox', { name: 'Search users and addresses' }).fill('nobody')
  await page.getByText('No event matches').waitFor()
  await page.getByRole('button', { name: 'Show all events' }).click()
  await log.getByRole('row', { name: /Token created/ }).waitFor()
})
