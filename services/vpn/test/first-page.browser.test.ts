import { test } from 'node:test'
import { assertTransferBelow, browserObstacle, eventually, measureTransfer, startBrowser } from '@hearth/testing'
import { furnish, startPlace } from './browser-place.ts'

/** Most that a first visit may transfer, bytes. */
const limit = 250_000

test('the first page is small, signed out and signed in', { skip: browserObstacle() }, async () => {
  await using place = await startPlace()
  await using browser = await startBrowser()
  const { page } = browser
  const signIn = page.getByRole('button', { name: 'Sign in' })
  assertTransferBelow(
    await measureTransfer(page, async () => page.goto(place.service.url).then(() => signIn.waitFor())),
    limit,
  )
  await furnish(place, page)
  const open = async () => {
    await page.goto(place.service.url)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await eventually(
      () => page.locator('[aria-busy=true], [aria-label=Loading]').count(),
      (count) => count === 0,
      { what: 'loaded content' },
    )
  }
  assertTransferBelow(await measureTransfer(page, open), limit)
})
