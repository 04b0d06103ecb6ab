import { test } from 'node:test'
import { browserObstacle, createVisitor, freePort, settled, startBrowser, startServiceProcess } from '@hearth/testing'
import { signInAtProvider, startOpenIdProvider } from '@hearth/testing/openid-provider'

test('a person of the administrators signs in on the provider’s page', { skip: browserObstacle() }, async () => {
  const port = String(await freePort())
  const publicUrl = `http://localhost:${port}`
  await using provider = await startOpenIdProvider({ publicUrl, path: '/api/openid' })
  await using _service = await startServiceProcess('media', { BIND_PORT: port, ...provider.settings })
  const json = { enable_authentication: true, admin_username: 'ada', admin_password: 'tall-giraffe-on-ice-7' }
  await createVisitor(publicUrl).demand('POST', '/api/settings', { json })
  await using browser = await startBrowser()
  const { page } = browser
  provider.isAutomatic = false
  await signInAtProvider(page, `${publicUrl}/login`, provider)
  await page.getByRole('alert').filter({ hasText: 'in no group that may sign in here' }).waitFor()
  await page.context().clearCookies()
  provider.person = { ...provider.person, groups: ['admins'] }
  await signInAtProvider(page, `${publicUrl}/login`, provider)
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  await page.goto(`${publicUrl}/security-log`)
  await page.getByRole('row', { name: /Signed in.*OpenID Connect/ }).waitFor()
  await settled(page)
})
