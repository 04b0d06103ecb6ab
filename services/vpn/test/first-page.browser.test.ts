import { test } from 'node:test'
import { assertTransferBelow, browserObstacle, measureTransfer, settled, startBrowser } from '@hearth/testing'
import { furnish, startFixture } from './browser-fixture.ts'

/** Most that a first visit may transfer, bytes. */
const limit = 250_000

test('the first page is small, both signed out and signed in', { skip: browserObstacle() }, async () => {
  await using fixture = await startFixture()
  await using browser = await startBrowser()
  const { page } = browser
  const signIn = page.getByRole('button', { name: 'Sign in', exact: true })
  assertTransferBelow(
    await measureTransfer(page, async () => page.goto(fixture.service.url).then(() => signIn.waitFor())),
    limit,
  )
  await furnish(fixture, page)
  const open = async () => page.goto(fixture.service.url).then(() => settled(page))
  assertTransferBelow(await measureTransfer(page, open), limit)
})
