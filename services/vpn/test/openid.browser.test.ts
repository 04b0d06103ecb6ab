import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertUsableOn, browserObstacle, freePort, startBrowser, wideAndPhone } from '@hearth/testing'
import { signInAtProvider, startOpenIdProvider } from '@hearth/testing/openid-provider'
import { startFixture } from './browser-fixture.ts'

test(
  'a person signs in on the provider’s page, and reads on the sign-in page why it did not work',
  { skip: browserObstacle() },
  async () => {
    const port = String(await freePort())
    // The provider is at 127.0.0.1: another site, as in a real house.
    const publicUrl = `http://localhost:${port}`
    await using provider = await startOpenIdProvider({ publicUrl, path: '/api/openid' })
    await using _fixture = await startFixture({ ...provider.settings, BIND_PORT: port })
    await using browser = await startBrowser()
    const { page } = browser
    provider.isAutomatic = false
    provider.person = { sub: 'e', preferred_username: 'eve', groups: ['guests'] }
    const button = page.getByRole('link', { name: 'Sign in with House account' })
    await signInAtProvider(page, `${publicUrl}/dns/log`, provider)
    await page.getByRole('alert').filter({ hasText: 'in no group that may sign in here' }).waitFor()
    assert.equal(new URL(page.url()).search, '')
    await assertUsableOn(page, wideAndPhone.toReversed(), { ready: button })
    await page.context().clearCookies()
    provider.person = { sub: 'm', preferred_username: 'maria', email: 'maria@example.org', groups: ['admins'] }
    await signInAtProvider(page, `${publicUrl}/users`, provider)
    await page.getByRole('row', { name: /maria@example\.org/ }).waitFor()
    assert.equal(page.url(), `${publicUrl}/users`)
    await page.goto(`${publicUrl}/security-log`)
    await page.getByRole('row', { name: /Sign-in refused.*In no allowed group/ }).waitFor()
    await page.getByRole('row', { name: /Signed in.*OpenID Connect/ }).waitFor()
  },
)
