import { test } from 'node:test'
import { browserObstacle, createVisitor, freePort, signIn, startBrowser, startServiceProcess } from '@hearth/testing'
import { startOpenIdProvider } from '@hearth/testing/openid-provider'
import { testPortalConnectionPages } from '@hearth/testing/test-portal-connection'

test(
  'a portal is connected in the settings of sign-in, and disconnected there',
  { skip: browserObstacle() },
  async () => {
    const port = String(await freePort())
    const publicUrl = `http://localhost:${port}`
    const password = 'tall-giraffe-on-ice-7'
    await using portal = await startOpenIdProvider({ publicUrl, path: '/api/openid' })
    await using _service = await startServiceProcess('media', { BIND_PORT: port, PUBLIC_URL: publicUrl })
    const json = { enable_authentication: true, admin_username: 'ada', admin_password: password }
    await createVisitor(publicUrl).demand('POST', '/api/settings', { json })
    await using browser = await startBrowser()
    const { page } = browser
    portal.person = { ...portal.person, groups: ['admins'] }
    await page.goto(`${publicUrl}/login`)
    await signIn(page, 'ada', password)
    const settings = `${publicUrl}/settings?tab=access`
    await testPortalConnectionPages(
      page,
      { settings, signIn: `${publicUrl}/login`, password, service: 'media' },
      portal,
    )
  },
)
