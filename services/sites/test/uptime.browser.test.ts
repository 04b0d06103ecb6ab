import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { openDatabase } from '@hearth/database'
import {
  assertAccessible,
  assertUsableOn,
  browserObstacle,
  eventually,
  screenshot,
  wideAndPhone,
} from '@hearth/testing'
import type { Tables } from '../src/tables.ts'
import { askHost, makeSite } from './served.ts'
import { openSitesPlace, type SitesPlace } from './sites-place.ts'

const skip = browserObstacle()

/** A program behind a site, which breaks and is mended. */
async function startProgram() {
  let listener: RequestListener = (_, response) => void response.end('ok')
  const server = createServer((request, response) => listener(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    break: () => (listener = (_, response) => void response.writeHead(500).end()),
    mend: () => (listener = (_, response) => void response.end('ok')),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

test(
  'pages show what is up, live; a window is planned and a status page published at its own domain',
  { skip },
  async () => {
    await using program = await startProgram()
    await using place = await openSitesPlace()
    const { admin } = place
    const site = { tls: { mode: 'off' }, upstreams: [{ url: program.url }] }
    const check = { interval_seconds: 10, failures: 1 }
    const names = { domains: ['wiki.test', 'www.wiki.test', '*.wiki.test'], tls: { mode: 'internal' } }
    await makeSite(admin, { ...site, site_name: 'Wiki', ...names, check })
    await makeSite(admin, { ...site, site_name: 'Photos', domains: ['photos.test'], check: { enabled: false } })
    await seeUp(place)
    await writeHistory(place)
    program.break()
    await seeDown(place)
    program.mend()
    await planWindow(place)
    await publish(place)
    await giveDomain(place)
  },
)

async function seeUp(place: SitesPlace): Promise<void> {
  const { page } = place
  await place.goTo('/uptime')
  const table = page.getByRole('table', { name: 'Uptime of the sites' })
  await table.getByRole('row', { name: /Wiki/ }).getByText('Up', { exact: true }).waitFor()
  await table
    .getByRole('row', { name: /Photos/ })
    .getByText('Not checked')
    .waitFor()
  await assertUsableOn(page, wideAndPhone, { picture: 'sites-uptime' })
}

/** Ninety days and two days of points of the first site, as if it had been checked all the time. */
async function writeHistory({ sites }: SitesPlace): Promise<void> {
  const database = openDatabase<Tables>({ file: join(sites.folder, 'sites.db') })
  const subject = 'site:1'
  const counts = { checks: 100, failed: 1, latency_count: 99 }
  const now = Date.now()
  const today = Math.floor(now / 86_400_000)
  const days = Array.from({ length: 80 }, (_, index) => {
    const down_ms = index % 17 === 3 ? 9_000_000 : index % 11 === 5 ? 600_000 : 0
    const up_ms = 86_000_000 - down_ms
    const latency = { latency_total: 1200, latency_max: 90 }
    return { subject, day: today - 1 - index, up_ms, down_ms, maintenance_ms: 0, ...counts, ...latency }
  })
  const points = Array.from({ length: 180 }, (_, index) => ({
    subject,
    starts_at: Math.floor(now / 900_000 - 1 - index) * 900_000,
    ...counts,
    latency_total: 1000 + (index % 12) * 100,
    latency_max: 40 + (index % 7) * 10,
  }))
  await database.query
    .insertInto('uptime_days')
    .values(days)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await database.query
    .insertInto('uptime_points')
    .values(points)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await database.close()
}

async function seeDown(place: SitesPlace): Promise<void> {
  const { page } = place
  await place.goTo('/sites/1?tab=uptime')
  const state = page.getByRole('region', { name: 'State' })
  // The page learns of it by an event.
  await state.getByText('Down', { exact: true }).waitFor({ timeout: 60_000 })
  await state.getByText(/500 Internal Server Error/).waitFor()
  await state.getByText(/The program behind the site reports an error/).waitFor()
  await page
    .getByRole('region', { name: 'How long answers take' })
    .getByText(/at most \d+ ms/)
    .waitFor()
  await page.getByRole('table', { name: 'Incidents' }).getByText('goes on').waitFor()
  const names = page.getByRole('table', { name: 'Names' })
  await names
    .getByRole('row', { name: /^wiki\.test/ })
    .getByText(/500 Internal/)
    .waitFor()
  await names.getByRole('row', { name: /www\.wiki\.test/ }).waitFor()
  await page.getByRole('button', { name: 'Check now' }).click()
  await state
    .getByRole('status')
    .getByText(/500 Internal Server Error/)
    .waitFor()
  await assertUsableOn(page, wideAndPhone, { picture: 'sites-site-uptime' })
  await place.goTo('/sites')
  await page.getByRole('row', { name: /Wiki/ }).getByText('Down', { exact: true }).waitFor()
  await assertAccessible(page)
  await screenshot(page, 'sites-list-uptime')
}

async function planWindow({ page, ...place }: SitesPlace): Promise<void> {
  await place.goTo('/uptime')
  await page.getByRole('button', { name: 'Plan maintenance' }).click()
  const dialog = page.getByRole('dialog', { name: 'Plan maintenance' })
  await dialog.getByLabel('Name').fill('Move')
  await dialog.getByLabel('To', { exact: true }).fill('2020-01-01T00:00')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText(/later than starts_at/).waitFor()
  await dialog.getByLabel('To', { exact: true }).fill('2099-01-01T00:00')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText(/at most 30 days/).waitFor()
  const from = await dialog.getByLabel('From').inputValue()
  await dialog.getByLabel('To', { exact: true }).fill(`${from.slice(0, 10)}T23:59`)
  await dialog.getByLabel('Repeats').selectOption('weekly')
  await dialog.getByRole('button', { name: 'Save' }).click()
  const windows = page.getByRole('table', { name: 'Maintenance windows' })
  await windows.getByText('Now', { exact: true }).waitFor()
  await page
    .getByRole('table', { name: 'Uptime of the sites' })
    .getByRole('row', { name: /Wiki/ })
    .getByText('Maintenance', { exact: true })
    .waitFor()
}

async function publish(place: SitesPlace): Promise<void> {
  const { page } = place
  await page.getByRole('button', { name: 'Add status page' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a status page' })
  await dialog.getByRole('textbox', { name: 'Title' }).fill('Our house')
  await dialog.getByRole('textbox', { name: 'Address' }).fill('home')
  await dialog.getByRole('combobox', { name: 'Sites' }).click()
  await page.getByRole('option', { name: 'Wiki' }).click()
  await dialog.getByRole('textbox', { name: 'Title' }).click()
  await dialog.getByRole('switch', { name: /For everybody/ }).check({ force: true })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('table', { name: 'Status pages' }).getByText('Everybody').waitFor()
  await assertUsableOn(page, wideAndPhone, { picture: 'sites-status-pages' })
  const seen = await fetch(`${place.sites.url}/status/home`)
  assert.equal(seen.status, 200)
  await place.goTo('/status/home')
  await page.getByRole('heading', { name: 'Our house' }).waitFor()
  await eventually(
    () => page.locator('svg rect').first().evaluate('node => getComputedStyle(node).fill'),
    (fill) => fill !== 'rgb(0, 0, 0)',
    { what: 'the style of the page' },
  )
  await assertUsableOn(page, wideAndPhone, { picture: 'sites-status-page' })
}

/** Adds a site that shows the status page. */
async function giveDomain({ page, goTo, sites }: SitesPlace): Promise<void> {
  await goTo('/sites/new')
  await page.getByLabel('Name').fill('Status')
  await page.getByRole('combobox', { name: 'Domains' }).fill('status.test')
  await page.getByRole('combobox', { name: 'Domains' }).press('Enter')
  await page.getByLabel('Type').selectOption('Status page')
  await page.getByLabel('Status page', { exact: true }).selectOption('Our house')
  await page.getByRole('button', { name: 'TLS and HTTPS' }).click()
  await page.getByLabel('Certificate', { exact: true }).selectOption('off')
  await assertUsableOn(page, wideAndPhone, { picture: 'sites-status-site' })
  await page.getByRole('button', { name: 'Add site', exact: true }).click()
  await page.getByRole('heading', { name: 'Status', level: 1 }).waitFor()
  const [port] = sites.caddyPorts
  assert.match((await askHost(port, 'status.test')).text, /Our house/)
}
