import { test } from 'node:test'
import { assertTransferBelow, browserObstacle, measureTransfer, settled, signIn, visit } from '@hearth/testing'
import { testPassword } from './in-process.ts'
import { openPlace } from './browser-place.ts'

/** Most that a first visit may transfer, bytes. */
const limit = 250_000

test('the first page is small, both signed out and signed in', { skip: browserObstacle() }, async () => {
  await using place = await openPlace()
  await place.sites.signIn()
  const { page, url } = place
  const button = page.getByRole('button', { name: 'Sign in', exact: true })
  assertTransferBelow(await measureTransfer(page, async () => visit(page, url).then(() => button.waitFor())), limit)
  await signIn(page, 'admin', testPassword)
  assertTransferBelow(await measureTransfer(page, async () => visit(page, url).then(() => settled(page))), limit)
})
