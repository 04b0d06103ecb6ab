import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertTransferBelow, browserObstacle, measureTransfer, settled, startBrowser } from '@hearth/testing'
import { startMedia } from './in-process.ts'

/** Most that a first visit may transfer, bytes. */
const limit = 250_000

test('the first page is small, both signed out and signed in', { skip: browserObstacle() }, async () => {
  await using media = await startMedia()
  await using browser = await startBrowser()
  const { page } = browser
  assertTransferBelow(await measureTransfer(page, async () => page.goto(media.url).then(() => settled(page))), limit)
  const json = { enable_authentication: true, admin_username: 'ada', admin_password: 'tall-giraffe-on-ice-7' }
  assert.equal((await media.json('POST', '/api/settings', { json })).status, 200)
  const signIn = page.getByRole('button', { name: 'Sign in', exact: true })
  const open = async () => page.goto(`${media.url}/login`).then(() => signIn.waitFor())
  assertTransferBelow(await measureTransfer(page, open), limit)
})
