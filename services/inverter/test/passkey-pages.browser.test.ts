import { startBrowser, testSignInMethodPages } from '@hearth/testing'
import { firstSignIn, password, startTrial } from './browser-fixture.ts'

testSignInMethodPages(async () => {
  await using cleanup = new AsyncDisposableStack()
  const fixture = cleanup.use(await startTrial())
  await using browser = await startBrowser()
  await firstSignIn(fixture, browser.page)
  const resources = cleanup.move()
  return {
    service: 'inverter',
    url: fixture.service.url,
    path: '/settings',
    username: 'admin',
    password,
    replacesPassword: true,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
})
