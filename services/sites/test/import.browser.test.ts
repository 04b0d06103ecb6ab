import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertUsableOn, browserObstacle, everyScreen, signIn, visit } from '@hearth/testing'
import { testPassword } from './in-process.ts'
import { createFastTimers } from '@hearth/runtime'
import { confirm, openPlace } from './browser-place.ts'
import { makeNpmDatabase } from './npm-fixture.ts'
import { caddyObstacle } from './real-caddy.ts'

const obstacle = browserObstacle()
const skip = obstacle === false ? (caddyObstacle() ?? false) : obstacle

const caddyfile = `shop.test {
  tls internal
  reverse_proxy 127.0.0.1:1
}
old.test {
  tls internal
  reverse_proxy not.a.host:99999
}`

const nginx = 'server { listen 80; server_name nginx.test; location / { proxy_pass http://127.0.0.1:1; } }'
const traefik = `http:
  routers: { a: { rule: "Host(\`traefik.test\`)", service: s } }
  services: { s: { loadBalancer: { servers: [{ url: "http://127.0.0.1:1" }] } } }`

const zoraxy = `{
  "ProxyType": 1,
  "RootOrMatchingDomain": "zoraxy.test",
  "ActiveOrigins": [{ "OriginIpOrDomain": "127.0.0.1:1", "RequireTLS": false, "Weight": 1 }]
}`

test('a Caddyfile, a database and files of others are previewed before the import', { skip }, async () => {
  const timers = createFastTimers(1)
  await using place = await openPlace({ caddy: true, timers })
  const { page, url, sites } = place
  const admin = await sites.signIn()
  await visit(page, `${url}/import`)
  await signIn(page, 'admin', testPassword)
  const look = page.getByRole('button', { name: 'Preview the import' })
  await look.click()
  await page.getByText('Required').waitFor()
  await page.getByLabel('Text of the Caddyfile').fill(caddyfile)
  timers.jump(301_000)
  await look.click()
  await confirm(page)
  const found = page.getByRole('table', { name: 'Sites found' })
  await found
    .getByRole('row', { name: /shop\.test/ })
    .getByText('Can be imported')
    .waitFor()
  const names = async () =>
    (await admin.json<{ domains: string[] }[]>('GET', '/api/sites')).body.flatMap(({ domains }) => domains)
  assert.deepEqual(await names(), [])

  await page.getByRole('button', { name: /^Import \d sites?$/ }).click()
  await found
    .getByRole('row', { name: /shop\.test/ })
    .getByText('Imported', { exact: true })
    .waitFor()
  assert.ok((await names()).includes('shop.test'))

  await page.getByRole('button', { name: 'Import something else' }).click()
  await page.getByRole('radio', { name: 'Nginx Proxy Manager' }).check()
  const database = await makeNpmDatabase({
    proxy_host: [
      { id: 1, domain_names: ['shop.test'], forward_host: '127.0.0.1', forward_port: 1 },
      { id: 2, domain_names: ['npm.test'], forward_host: '127.0.0.1', forward_port: 2 },
    ],
  })
  const file = { name: 'database.sqlite', mimeType: 'application/octet-stream', buffer: Buffer.from(database) }
  await page.locator('input[type=file]').setInputFiles(file)
  await look.click()
  await found
    .getByRole('row', { name: /shop\.test/ })
    .getByText('Domain is taken')
    .waitFor()
  await page.getByRole('button', { name: 'Import 1 site' }).click()
  await found
    .getByRole('row', { name: /npm\.test/ })
    .getByText('Imported', { exact: true })
    .waitFor()
  assert.ok((await names()).includes('npm.test'))

  for (const [label, kind, text, domain] of [
    ['nginx', 'Server blocks', nginx, 'nginx.test'],
    ['Zoraxy', 'Rules', zoraxy, 'zoraxy.test'],
    ['Traefik', 'Dynamic configuration', traefik, 'traefik.test'],
  ] as const) {
    await page.getByRole('button', { name: 'Import something else' }).click()
    await page.getByRole('radio', { name: label, exact: true }).check()
    await page.getByLabel(kind).fill('{')
    await look.click()
    await page.getByText(/^Text (is|cannot)/).waitFor()
    await page.getByLabel(kind).fill(text)
    if (label === 'Traefik') await assertUsableOn(page, everyScreen, { picture: 'sites-import' })
    await look.click()
    await found
      .getByRole('row', { name: new RegExp(domain) })
      .getByText('Can be imported')
      .waitFor()
    await page.getByRole('button', { name: 'Import 1 site' }).click()
    await found
      .getByRole('row', { name: new RegExp(domain) })
      .getByText('Imported', { exact: true })
      .waitFor()
    assert.ok((await names()).includes(domain))
  }
})
