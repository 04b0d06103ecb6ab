import { test } from 'node:test'
import { assertTransferBelow, browserObstacle, measureTransfer, startBrowser } from '@hearth/testing'
import { firstSignIn, settled, startPlace } from './browser-place.ts'

/** Most that a first visit may transfer, bytes. */
const limit = 250_000

test('the first page is small, signed out and signed in', { skip: browserObstacle() }, async () => {
  await using place = await startPlace({ trial: true })
  await using browser = await startBrowser()
  const { page } = browser
  const signIn = page.getByRole('button', { name: 'Sign in' })
  assertTransferBelow(
    await measureTransfer(page, async () => page.goto(place.service.url).then(() => signIn.waitFor())),
    limit,
  )
  await firstSignIn(place, page)
  const open = async () => page.goto(place.service.url).then(() => settled(page))
  assertTransferBelow(await measureTransfer(page, open), limit)
})
