import { test } from 'node:test'
import { assertTransferBelow, browserObstacle, measureTransfer, settled, startBrowser } from '@hearth/testing'
import { firstSignIn, startTrial } from './browser-fixture.ts'

/** Maximum that a first visit may transfer, bytes. */
const limit = 250_000

test('the first page transfers little data, signed out and signed in', { skip: browserObstacle() }, async () => {
  await using fixture = await startTrial()
  await using browser = await startBrowser()
  const { page } = browser
  const signIn = page.getByRole('button', { name: 'Sign in', exact: true })
  assertTransferBelow(
    await measureTransfer(page, async () => page.goto(fixture.service.url).then(() => signIn.waitFor())),
    limit,
  )
  await firstSignIn(fixture, page)
  const open = async () => page.goto(fixture.service.url).then(() => settled(page))
  assertTransferBelow(await measureTransfer(page, open), limit)
})
