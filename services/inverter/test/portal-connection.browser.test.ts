import { test } from 'node:test'
import {
  browserObstacle,
  freePort,
  replacePassword,
  startBrowser,
  startNewService,
  submitSignIn,
} from '@hearth/testing'
import { startOpenIdProvider } from '@hearth/testing/openid-provider'
import { testPortalConnectionPages } from '@hearth/testing/test-portal-connection'

test('a portal is connected in the settings, and disconnected there', { skip: browserObstacle() }, async () => {
  const port = String(await freePort())
  const publicUrl = `http://localhost:${port}`
  const password = 'tall-giraffe-on-ice-7'
  await using portal = await startOpenIdProvider({ publicUrl, path: '/admin/api/openid' })
  const environment = { HEARTH_UP: '1', BIND_PORT: port, PUBLIC_URL: publicUrl }
  await using fixture = await startNewService('inverter', environment)
  await using browser = await startBrowser()
  const { page } = browser
  portal.person = { ...portal.person, groups: ['admins'] }
  await page.goto(publicUrl)
  await submitSignIn(page, 'admin', fixture.firstPassword)
  await replacePassword(page, fixture.firstPassword, password)
  const settings = `${publicUrl}/settings`
  await testPortalConnectionPages(page, { settings, signIn: publicUrl, password, service: 'inverter' }, portal)
})
