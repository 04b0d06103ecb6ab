import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually, runCommand, startServiceProcess, temporaryDirectory } from '@hearth/testing'
import { fetchUserInfo, refreshTokenGrant } from 'openid-client'
import { testPassword } from './in-process.ts'
import { readLogoutToken, startLogoutReceiver, type PublishedKey } from './logout-receiver.ts'
import { follow, issuerOf, openApplication, signInAt } from './openid-place.ts'
import { openPortalPlace, portalHost } from './portal-place.ts'
import { PortalVisitor } from './portal-visitor.ts'
import { caddyObstacle } from './real-caddy.ts'

test(
  'killed between code and token, and with messages waiting, nothing is lost; a backup brings applications back',
  { skip: caddyObstacle() },
  async () => {
    await using data = await temporaryDirectory('openid')
    await using receiver = await startLogoutReceiver()
    const folder = join(data.path, 'data')
    await using cleanup = new AsyncDisposableStack()
    const place = cleanup.use(await openPortalPlace(portalHost, folder))
    await place.addVisitor('ann')
    const application = await openApplication(place, 'App', { backchannel_logout_uri: receiver.uri })
    const issuer = issuerOf(place)
    const [httpPort, httpsPort] = place.sites.caddyPorts
    await cleanup.disposeAsync()

    const environment = { CADDY_HTTP_PORT: String(httpPort), CADDY_HTTPS_PORT: String(httpsPort), DATA_DIR: folder }
    const visitor = () => new PortalVisitor(httpsPort)
    const keys = async () =>
      (JSON.parse((await visitor().visit(`${issuer}/oidc/jwks`)).text) as { keys: PublishedKey[] }).keys
    const start = async (more: Record<string, string> = {}) => {
      const running = await startServiceProcess('sites', { ...environment, ...more })
      const answers = () =>
        keys().then(
          (found) => found.length,
          () => 0,
        )
      await eventually(answers, (count) => count > 0, { what: 'the portal', seconds: 30 })
      return running
    }

    const first = await start()
    const browser = visitor()
    const attempt = await application.begin()
    const person = { username: 'ann', password: testPassword }
    const answer = await signInAt(browser, await follow(browser, attempt.url), person)
    assert.notEqual(answer.at.searchParams.get('code'), null)
    const published = await keys()
    await first.kill()

    const second = await start()
    assert.deepEqual(await keys(), published)
    const tokens = await application.finish(attempt, answer.at)
    const sub = tokens.claims()?.sub ?? ''
    assert.equal((await fetchUserInfo(application.configuration, tokens.access_token, sub)).preferred_username, 'ann')
    await refreshTokenGrant(application.configuration, tokens.refresh_token ?? '')
    receiver.status = 503
    const account = await browser.open(issuer)
    await browser.submit(new URL(issuer), account.text, {})
    await eventually(
      async () => receiver.tokens.length,
      (count) => count === 1,
      { what: 'a first try' },
    )
    await second.kill()

    receiver.status = 200
    const third = await start()
    await eventually(
      async () => receiver.tokens.length,
      (count) => count > 1,
      { what: 'another try', seconds: 30 },
    )
    assert.equal(readLogoutToken(receiver.tokens.at(-1) ?? '', published)['sub'], sub)
    const file = join(data.path, 'backup')
    assert.equal((await runCommand(['sites', 'backup', file], environment)).code, 0)
    await third.stop()

    const restored = { DATA_DIR: join(data.path, 'restored'), SECRET_KEY_FILE: join(folder, 'secret.key') }
    const { code, stderr } = await runCommand(['sites', 'restore', file], { ...environment, ...restored })
    assert.equal(code, 0, stderr)
    await using _fourth = await start(restored)
    assert.deepEqual(await keys(), published)
    const again = await application.begin()
    const page = await follow(browser, again.url)
    assert.match(page.text, /To continue to App/, 'a restore signs nobody in')
    const claims = (await application.finish(again, (await signInAt(browser, page, person)).at)).claims()
    assert.equal(claims?.sub, sub)
  },
)
