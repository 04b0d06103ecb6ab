import { join } from 'node:path'
import { openSitesPlace, startSayingServer } from './sites-place.ts'
import { makeSite } from './served.ts'

const internal = { tls: { mode: 'internal' }, compression: 'both' } as const

/** Makes the pictures of the README from a service with a real Caddy. */
export async function takeScreenshots(images: string): Promise<void> {
  await using origin = await startSayingServer('hello')
  await using place = await openSitesPlace()
  const { admin, page } = place
  const proxy = (name: string, domains: string[], more: object = {}) =>
    makeSite(admin, { site_name: name, domains, upstreams: [{ url: origin.url }], ...internal, ...more })
  const cloud = await proxy('Cloud', ['cloud.example.org'], { hsts: {}, max_body: 1024 ** 3 })
  await proxy('Photos', ['photos.example.org', 'bilder.example.org'])
  await proxy('Home Assistant', ['home.example.org'], { timeouts: { websocket_close_delay: 600 } })
  await proxy('Wiki', ['wiki.example.org'], { basic_auth: [{ username: 'family', password: 'a long enough one' }] })
  await proxy('Git', ['git.example.org'], { maintenance_mode: true })
  await makeSite(admin, {
    site_name: 'Old blog',
    domains: ['blog.example.org', 'www.blog.example.org'],
    kind: 'redirect',
    redirect: { to: 'https://wiki.example.org', code: 301 },
    ...internal,
  })
  await makeSite(admin, {
    site_name: 'Status',
    domains: ['status.example.org'],
    kind: 'respond',
    respond: { body: 'ok' },
    ...internal,
  })
  await proxy('Printer', ['printer.lan'], { tls: { mode: 'off' }, enabled: false })
  await page.setViewportSize({ width: 1280, height: 900 })
  const shoot = async (name: string) => {
    // The answers of the last calls are drawn by then.
    await page.waitForTimeout(1500)
    await page.screenshot({ path: join(images, `${name}.png`), caret: 'initial' })
  }
  await place.goTo('/sites')
  await shoot('sites-list')
  await place.goTo(`/sites/${cloud.id}`)
  await page.getByLabel('Upstream').first().fill('http://10.0.0.5:8080')
  await shoot('sites-editor')
}
