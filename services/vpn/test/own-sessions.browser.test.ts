import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertAccessible, browserObstacle } from '@hearth/testing'
import { openFurnished, password } from './browser-fixture.ts'

test('the profile lists the sessions, marks this one, and ends another', { skip: browserObstacle() }, async () => {
  await using opened = await openFurnished('/profile')
  const { page, fixture } = opened
  const { url } = fixture.service
  const signedIn = await fetch(`${url}/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'forgotten-program/1.0' },
    body: JSON.stringify({ username: 'admin', password }),
  })
  const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const status = async () => (await fetch(`${url}/api/session`, { headers: { cookie } })).status
  assert.equal(await status(), 200)
  await page.reload()
  const sessions = page.getByRole('table', { name: 'Sessions' })
  await sessions.getByRole('row', { name: /forgotten-program/ }).waitFor()
  assert.match(await sessions.getByRole('row', { name: /This one/ }).innerText(), /Chrome on Linux[\s\S]*127\.0\.0\.1/)
  await assertAccessible(page)
  await page.getByRole('button', { name: 'End the session of forgotten-program' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End session' }).click()
  await sessions.getByRole('row', { name: /forgotten-program/ }).waitFor({ state: 'detached' })
  assert.equal(await status(), 401)
  assert.match(await sessions.innerText(), /This one/)
})
