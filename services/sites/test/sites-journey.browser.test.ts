import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertAccessible, browserObstacle } from '@hearth/testing'
import type { Locator, Page } from 'playwright-core'
import { askHost } from './served.ts'
import { openSitesPlace, startSayingServer, type SitesPlace } from './sites-place.ts'

const skip = browserObstacle()

/** Puts a text into a field that keeps several. */
async function addTo(field: Locator, text: string): Promise<void> {
  await field.fill(text)
  await field.press('Enter')
}

const panel = (page: Page) => page.getByRole('region', { name: 'Preview' })

/** Folds a section of the editor out. */
async function unfold(page: Page, title: string): Promise<void> {
  await page.getByRole('button', { name: title }).click()
}

async function save(page: Page, button = 'Save'): Promise<void> {
  await page.getByRole('button', { name: button, exact: true }).click()
}

test('a site is added, previewed and changed, put into maintenance, and restored', { skip }, async () => {
  await using first = await startSayingServer('first server')
  await using second = await startSayingServer('second server')
  await using place = await openSitesPlace()
  await addSite(place, first.url)
  await changeWithPreview(place, second.url)
  await maintain(place)
  await returnToFirst(place)
  await removeIt(place)
  await seeOthers(place)
})

const served = async ({ sites }: SitesPlace) => askHost(sites.caddyPorts[0], 'photos.test')

async function addSite(place: SitesPlace, server: string): Promise<void> {
  const { page } = place
  await place.goTo('/sites')
  await page.getByText('No sites yet').waitFor()
  await page.getByRole('link', { name: 'Add site' }).click()
  await page.getByLabel('Name').fill('Photos')
  await addTo(page.getByRole('combobox', { name: 'Domains' }), 'not a domain!')
  await page.getByText('"domain!" has a character that no domain has').first().waitFor()
  assert.equal(await page.getByText('needs at least one').count(), 0, 'a field nobody has been to is not judged')
  for (let left = 3; left > 0; left -= 1) await page.getByRole('combobox', { name: 'Domains' }).press('Backspace')
  await addTo(page.getByRole('combobox', { name: 'Domains' }), 'photos.test')
  await page.getByLabel('Upstream').fill(server)
  await panel(page).getByText('no public authority signs photos.test').waitFor()
  await unfold(page, 'TLS and HTTPS')
  await page.getByLabel('Certificate', { exact: true }).selectOption('off')
  await panel(page).getByText('Valid', { exact: true }).waitFor()
  await assertAccessible(page)
  await save(page, 'Add site')
  await page.getByRole('heading', { name: 'Photos', level: 1 }).waitFor()
  await page.getByText('Served').first().waitFor()
  assert.equal((await served(place)).text, 'first server')
}

async function changeWithPreview(place: SitesPlace, server: string): Promise<void> {
  const { page } = place
  await page.getByLabel('Upstream').fill('ftp://nowhere')
  await panel(page).getByText('Fix first').waitFor()
  assert.equal(await page.getByLabel('Upstream').getAttribute('aria-invalid'), 'true')
  await page.getByLabel('Upstream').fill(server)
  await panel(page).getByText('Valid', { exact: true }).waitFor()
  await panel(page).getByText('Upstreams 1 › Address').waitFor()
  await panel(page)
    .getByText(/What differs in Caddy’s configuration/)
    .click()
  await panel(page).getByText('/apps/http/servers').first().waitFor()
  assert.equal((await served(place)).text, 'first server', 'looking changes nothing')

  await page.getByRole('link', { name: 'Revisions', exact: true }).click()
  await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Stay' }).click()
  await save(page)
  await page.getByText('Saved', { exact: true }).waitFor()
  assert.equal((await served(place)).text, 'second server')
}

async function maintain(place: SitesPlace): Promise<void> {
  const { page } = place
  await page.getByRole('switch', { name: 'Maintenance', exact: true }).click({ force: true })
  await page.getByText('Photos is in maintenance now').waitFor()
  assert.equal((await served(place)).status, 503)
  await place.goTo('/sites')
  await page.getByRole('cell', { name: 'Maintenance' }).waitFor()
  await page.getByRole('button', { name: 'More about Photos' }).click()
  await page.getByRole('menuitem', { name: 'End maintenance' }).click()
  await page.getByText('Photos is back from maintenance').waitFor()
  assert.equal((await served(place)).text, 'second server')
}

async function returnToFirst(place: SitesPlace): Promise<void> {
  const { page } = place
  await page.getByRole('link', { name: 'Photos', exact: true }).click()
  await page.getByRole('tab', { name: 'History' }).click()
  await page.getByRole('row').filter({ hasText: 'Site added' }).getByRole('link').click()
  await page.getByText('Added', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Return to it' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Upstreams 1 › Address').waitFor()
  await assertAccessible(page)
  await dialog.getByRole('button', { name: 'Return', exact: true }).click()
  await page.getByText(/Everything is as revision \d+ left it/).waitFor()
  assert.equal((await served(place)).text, 'first server')
}

async function removeIt(place: SitesPlace): Promise<void> {
  const { page } = place
  await place.goTo('/sites')
  await page.getByRole('button', { name: 'More about Photos' }).click()
  await page.getByRole('menuitem', { name: 'Remove…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Remove Photos?' })
  await dialog.getByText('photos.test will answer as a host nobody knows').waitFor()
  await dialog.getByRole('button', { name: 'Remove site' }).click()
  await page.getByText('No sites yet').waitFor()
  assert.equal((await served(place)).status, 404)
}

/** Changes by somebody else appear on the screen without a reload. */
async function seeOthers({ page, admin }: SitesPlace): Promise<void> {
  await page.getByText('No sites yet').waitFor()
  const json = { site_name: 'By somebody', domains: ['other.test'], kind: 'respond', tls: { mode: 'off' }, respond: {} }
  assert.equal((await admin.call('POST', '/api/sites', { json })).status, 201)
  await page.getByRole('link', { name: 'By somebody', exact: true }).waitFor()
  await page.getByRole('link', { name: 'By somebody', exact: true }).click()
  await page.getByLabel('Name').fill('Not saved')
  // The page's own way back: the one from outside can overtake the entry the guard has just put there.
  await page.evaluate('history.back()')
  const guard = page.getByRole('dialog', { name: 'Leave without saving?' })
  await guard.getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('heading', { name: 'Sites', level: 1 }).waitFor()
}

test(
  'Caddy’s refusal is shown verbatim, and an edit conflict is presented to the second editor',
  { skip },
  async () => {
    await using place = await openSitesPlace()
    const { page, admin, sites } = place
    await admin.json('PATCH', '/api/v1/settings', { json: { allow_raw: true } })
    const json = {
      site_name: 'Own words',
      domains: ['own.test'],
      kind: 'raw',
      tls: { mode: 'off' },
      raw_directives: 'respond "as it was"',
    }
    const { body } = await admin.json<{ site: { id: number } }>('POST', '/api/sites', { json })
    const { id } = body.site
    await place.goTo(`/sites/${id}`)
    await page.getByLabel('Directives').fill('@odd header_regexp X-Test ([\nrespond @odd hello')
    await panel(page)
      .getByText(/error parsing regexp/)
      .waitFor()
    await save(page)
    await page.getByText('Nothing was saved: Caddy refuses it').waitFor()
    // Once in the preview, once as what became of saving.
    await page
      .getByText(/error parsing regexp/)
      .nth(1)
      .waitFor()
    await assertAccessible(page)
    assert.equal((await askHost(sites.caddyPorts[0], 'own.test')).text, 'as it was')

    await page.getByLabel('Directives').fill('respond "mine"')
    await admin.json('PATCH', `/api/sites/${id}`, { json: { site_name: 'Renamed by somebody' } })
    await panel(page).getByText('Valid', { exact: true }).waitFor()
    await save(page)
    const conflict = page.getByRole('dialog', { name: 'Somebody else changed this site meanwhile' })
    await conflict.getByText('Renamed by somebody').waitFor()
    await assertAccessible(page)
    await conflict.getByRole('button', { name: 'Keep mine' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    await page.getByRole('heading', { name: 'Renamed by somebody', level: 1 }).waitFor()
    assert.equal((await askHost(sites.caddyPorts[0], 'own.test')).text, 'mine')
  },
)

/** Changes what Caddy runs past the service. */
async function changeOutside({ sites }: SitesPlace, from: string, to: string): Promise<void> {
  const node = await sites.service.app.deploy.nodes.get(1)
  assert.ok(node !== undefined)
  const { config, etag } = await node.client.readConfig()
  const foreign = JSON.parse(JSON.stringify(config).replace(from, to)) as object
  assert.equal((await node.client.replaceConfig(foreign, etag)).kind, 'accepted')
}

test('foreign changes in Caddy are reported on the pages, shown and reverted', { skip }, async () => {
  await using place = await openSitesPlace()
  const { page, admin, sites } = place
  const json = {
    site_name: 'Hello',
    domains: ['hello.test'],
    kind: 'respond',
    tls: { mode: 'off' },
    respond: { body: 'Hello there' },
  }
  assert.equal((await admin.call('POST', '/api/sites', { json })).status, 201)
  await changeOutside(place, 'Hello there', 'Somebody was here')
  assert.equal((await askHost(sites.caddyPorts[0], 'hello.test')).text, 'Somebody was here')
  await place.goTo('/sites')
  await page.getByText('Somebody else changed what Caddy runs').waitFor()
  await assertAccessible(page)
  await place.goTo('/servers')
  const card = page.getByText('Somebody else changed its configuration')
  await card.getByRole('link', { name: 'See what differs' }).click()
  await page.getByText('Somebody was here').waitFor()
  await place.goTo('/sites')
  await page.getByRole('link', { name: 'See what differs' }).click()
  await page.getByText('Somebody was here').waitFor()
  await page.getByText('Hello there').waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Restore' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click()
  await page.getByText('Caddy runs what it should').waitFor()
  assert.equal((await askHost(sites.caddyPorts[0], 'hello.test')).text, 'Hello there')
})
