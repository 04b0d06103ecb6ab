import { startBrowser, testSignInMethodPages } from '@hearth/testing'
import { firstSignIn, password, startFixture } from './browser-fixture.ts'

testSignInMethodPages(async () => {
  await using cleanup = new AsyncDisposableStack()
  const fixture = cleanup.use(await startFixture({ RATE_LIMIT_EXEMPT: '127.0.0.1' }))
  await using browser = await startBrowser()
  await firstSignIn(fixture, browser.page)
  const resources = cleanup.move()
  return {
    service: 'vpn',
    url: fixture.service.url,
    path: '/profile',
    username: 'admin',
    password,
    replacesPassword: true,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
})
