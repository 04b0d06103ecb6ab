import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browserObstacle, eventually, settled } from '@hearth/testing'
import { caddyObstacle } from './real-caddy.ts'
import { askHost, makeSite, sayingSite } from './served.ts'
import { openSitesPlace } from './sites-place.ts'

const obstacle = browserObstacle()
const skip = obstacle === false ? (caddyObstacle() ?? false) : obstacle

const mark = (name: string) => `<img src=x onerror="window.ran='${name}'"><script>window.ran='${name}'</script>`

test('site names, headers and requested paths are shown as text and never executed', { skip }, async () => {
  await using place = await openSitesPlace()
  const { page, admin, sites } = place
  const violations: string[] = []
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) violations.push(message.text())
  })
  const site = await makeSite(admin, {
    ...sayingSite('marked', mark('body')),
    site_name: mark('name'),
    response_headers: [{ op: 'set', name: 'X-Note', value: mark('header') }],
    basic_auth: [{ username: '<b>ada</b>', password: 'correct horse' }],
  })
  assert.equal((await admin.call('PATCH', `/api/sites/${site.id}`, { json: { compression: 'off' } })).status, 200)
  const path = `/${mark('path').replaceAll(' ', '+').replaceAll('"', "'")}`
  assert.equal((await askHost(sites.caddyPorts[0], 'marked.test', { path })).status, 401)
  await eventually(
    async () => (await admin.call('GET', `/api/v1/sites/${site.id}/traffic`)).text(),
    (text) => text.includes('onerror'),
  )
  const texts: string[] = []
  for (const where of ['/', '/sites', `/sites/${site.id}`, '/revisions', '/certificates', '/servers', '/onboarding']) {
    await place.goTo(where)
    await settled(page)
    texts.push(String(await page.evaluate('document.body.innerText')))
    assert.equal(await page.evaluate('window.ran'), undefined, where)
    assert.equal(await page.locator('img[onerror], main script').count(), 0, where)
  }
  assert.ok(texts.some((text) => text.includes("window.ran='name'")))
  assert.deepEqual(violations, [])
})
