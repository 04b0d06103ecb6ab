import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { assertUsableOn, browserObstacle, settled, wideAndPhone } from '@hearth/testing'
import { askHost } from './served.ts'
import { makeRecord } from './site-makers.ts'
import { openSitesPlace, startSayingServer, type SitesPlace } from './sites-place.ts'

const skip = browserObstacle()

const long = 'A name of a site that is as long as anybody would ever want it to be, <b>and</b> then some'

/** Something on every page: a site of each kind, one that is off, one whose server is down, requests, a revision. */
async function furnish({ admin, sites }: SitesPlace, server: string): Promise<void> {
  const bodies = [
    {
      site_name: 'Photos',
      domains: ['photos.example.test', 'www.photos.example.test'],
      tls: { mode: 'internal' },
      upstreams: [{ url: server }, { url: 'http://127.0.0.1:9' }],
      redirects: [{ from: '/old/*', to: '/new' }],
      response_headers: [{ op: 'set', name: 'X-Robots-Tag', value: 'none' }],
      paths: [{ path: '/api', kind: 'respond', respond: { body: 'api' } }],
      basic_auth: [{ username: 'ada', password: 'tall-giraffe' }],
      health: { active: {}, passive: {} },
    },
    { site_name: 'Hello', domains: ['hello.test'], kind: 'respond', tls: { mode: 'off' }, respond: { body: 'Hello' } },
    { site_name: long, domains: ['one-host-with-a-rather-long-name.and.many.labels.example.test'], enabled: false },
  ]
  for (const json of bodies) {
    const rest = 'enabled' in json ? { tls: { mode: 'off' }, upstreams: [{ url: 'http://10.0.0.5:80' }] } : {}
    const { status, body } = await admin.json('POST', '/api/sites', { json: { ...json, ...rest } })
    assert.equal(status, 201, JSON.stringify(body))
  }
  for (let count = 0; count < 12; count += 1)
    await askHost(sites.caddyPorts[0], 'hello.test', { path: `/${count % 3}` })
}

/** Puts sites that are off into the database past the service, which would take its time with so many. */
function seed(folder: string, count: number): void {
  using database = new DatabaseSync(join(folder, 'sites.db'))
  database.exec('PRAGMA busy_timeout = 10000; BEGIN')
  const insertSite = database.prepare(
    `INSERT INTO sites (id, name, name_key, kind, enabled, domains, record, extras, revision, created_at, updated_at)
     VALUES (?, ?, ?, ?, 0, ?, ?, '{}', 1, ?, ?)`,
  )
  const insertDomain = database.prepare('INSERT INTO site_domains (domain, site_id) VALUES (?, ?)')
  for (let number = 1; number <= count; number += 1) {
    const id = 1000 + number
    const [name, domain] = [`Number ${number}`, `number-${number}.test`]
    const upstreams = [{ url: `http://10.0.${id >> 8}.${id & 255}:8080` }]
    const record = makeRecord({ site_name: name, domains: [domain], enabled: false, tls: { mode: 'off' }, upstreams })
    const now = Date.now()
    insertSite.run(id, name, name.toLowerCase(), record.kind, domain, JSON.stringify(record), now, now)
    insertDomain.run(domain, id)
  }
  database.exec('COMMIT')
}

const paths = [
  '/',
  '/sites',
  '/sites?q=nothing+like+it',
  '/sites/new',
  '/sites/1',
  '/sites/1?tab=traffic',
  '/sites/1?tab=history',
  '/sites/99',
  '/revisions',
  '/revisions/2',
  '/revisions/9999',
  '/drift',
  '/certificates',
]

test('the site pages with data on each', { skip }, async (context) => {
  await using server = await startSayingServer('hello')
  await using place = await openSitesPlace()
  await furnish(place, server.url)
  await context.test('are accessible and fit the screen, wide and light, narrow and dark', async () => {
    for (const path of paths) {
      await place.goTo(path)
      await settled(place.page)
      await assertUsableOn(place.page, wideAndPhone)
    }
    await unfoldEditor(place)
    await assertUsableOn(place.page, wideAndPhone)
  })
  await context.test('find one of five thousand sites by name, by kind and by paging', async () => {
    seed(place.sites.folder, 4997)
    await place.page.setViewportSize({ width: 1440, height: 900 })
    await findAmongMany(place)
  })
  await context.test('show a read-only user no controls for changes', async () => {
    await place.sites.addUser('reader', 'user')
    const reader = await place.sites.signInAs('reader')
    const cookies = [...reader.cookies].map(([name, value]) => ({ name, value, url: place.url }))
    await place.browser.context.clearCookies()
    await place.browser.context.addCookies(cookies)
    for (const path of ['/', '/certificates']) {
      await place.goTo(path)
      await settled(place.page)
      assert.equal(await place.page.getByText('Could not load this').count(), 0, path)
      assert.equal(await place.page.getByRole('link', { name: 'Sites', exact: true }).count(), 0)
    }
  })
})

/** Folds every section of the editor out, those of a path too. */
async function unfoldEditor({ page, goTo }: SitesPlace): Promise<void> {
  await goTo('/sites/1')
  await settled(page)
  const folds = page.locator('.editor-sections').getByRole('button', { expanded: false })
  for (let left = await folds.count(); left > 0; left -= 1) await folds.first().click()
  await page.getByLabel('User name 1').waitFor()
  for (const summary of await page.locator('.path-fields summary').all()) await summary.click()
}

async function findAmongMany({ page, goTo }: SitesPlace): Promise<void> {
  await goTo('/sites')
  await page.getByText('1–50 of 5,000').waitFor()
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByText('51–100 of 5,000').waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('number-4321')
  await page.getByRole('link', { name: 'Number 4321', exact: true }).waitFor()
  await page.getByText('1–1 of 1').waitFor()
  await page.getByLabel('Kind').selectOption('static')
  await page.getByText('No site matches').waitFor()
  await page.getByRole('button', { name: 'Show all sites' }).click()
  await page.getByText('1–50 of 5,000').waitFor()
  for (const _ of ['ascending', 'descending']) await page.getByRole('button', { name: 'Site', exact: true }).click()
  await page.getByRole('link', { name: 'Photos', exact: true }).waitFor()
}
