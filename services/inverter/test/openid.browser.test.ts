import { test } from 'node:test'
import { browserObstacle, freePort, settled, startBrowser, startNewService } from '@hearth/testing'
import { signInAtProvider, startOpenIdProvider } from '@hearth/testing/openid-provider'

test('a person of the administrators signs in on the provider’s page', { skip: browserObstacle() }, async () => {
  const port = String(await freePort())
  const publicUrl = `http://localhost:${port}`
  await using provider = await startOpenIdProvider({ publicUrl, path: '/admin/api/openid' })
  await using _fixture = await startNewService('inverter', { HEARTH_UP: '1', BIND_PORT: port, ...provider.settings })
  await using browser = await startBrowser()
  const { page } = browser
  provider.isAutomatic = false
  await signInAtProvider(page, publicUrl, provider)
  await page.getByRole('alert').filter({ hasText: 'in no group that may sign in here' }).waitFor()
  await page.context().clearCookies()
  provider.person = { ...provider.person, groups: ['admins'] }
  await signInAtProvider(page, `${publicUrl}/security-log`, provider)
  await page.getByRole('row', { name: /Signed in.*OpenID Connect/ }).waitFor()
  await settled(page)
})
