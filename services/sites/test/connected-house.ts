import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import {
  createPostgresDatabase,
  createVisitor,
  freePort,
  replacePassword,
  signIn,
  startNewService,
  startServiceProcess,
  submitSignIn,
} from '@hearth/testing'
import type { Page } from 'playwright-core'
import { testPassword } from './in-process.ts'
import type { PortalPlace } from './portal-place.ts'

/** Another Hearth service of the house, as a process of its own. */
export interface HouseService extends AsyncDisposable {
  readonly publicUrl: string
  /** Address of the page with the section **Sign in with Hearth**. */
  readonly settings: string
  /** Address of the sign-in page. */
  readonly signInPage: string
  /** What the service has written. */
  readonly output: () => string
  /** Signs its administrator in by password. */
  signIn(page: Page): Promise<void>
}

/** Starts a service that trusts the certificates of the portal's Caddy. */
export async function startHouseService(
  name: 'vpn' | 'inverter' | 'media',
  place: PortalPlace,
  hasPostgres: boolean,
): Promise<HouseService> {
  const port = String(await freePort())
  const publicUrl = `http://127.0.0.1:${port}`
  const environment = {
    PUBLIC_URL: publicUrl,
    HEARTH_SERVICES: `sites=${place.sites.url}`,
    BIND_PORT: port,
    NODE_EXTRA_CA_CERTS: await rootOf(place),
    NODE_OPTIONS: `--import=${join(import.meta.dirname, 'resolve-localhost.ts')}`,
    ...(hasPostgres && { DATABASE_URL: await createPostgresDatabase() }),
  }
  if (name === 'media') return startMedia(publicUrl, environment)
  const own = name === 'vpn' ? { WIREGUARD_BACKEND: 'simulated', RATE_LIMIT_EXEMPT: '127.0.0.1' } : { HEARTH_UP: '1' }
  const fixture = await startNewService(name, { ...environment, ...own })
  const { service, firstPassword } = fixture
  let isFirst = true
  return {
    publicUrl,
    settings: `${publicUrl}/settings`,
    signInPage: publicUrl,
    output: () => [...service.stdout, ...service.stderr].join('\n'),
    async signIn(page) {
      await page.goto(publicUrl)
      if (!isFirst) return signIn(page, 'admin', testPassword)
      isFirst = false
      await submitSignIn(page, 'admin', firstPassword)
      await replacePassword(page, firstPassword, testPassword)
    },
    [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose](),
  }
}

async function startMedia(publicUrl: string, environment: Record<string, string>): Promise<HouseService> {
  const service = await startServiceProcess('media', environment)
  const json = { enable_authentication: true, admin_username: 'ada', admin_password: testPassword }
  await createVisitor(publicUrl).demand('POST', '/api/settings', { json })
  return {
    publicUrl,
    settings: `${publicUrl}/settings?tab=access`,
    signInPage: `${publicUrl}/login`,
    output: () => [...service.stdout, ...service.stderr].join('\n'),
    async signIn(page) {
      await page.goto(`${publicUrl}/login`)
      await signIn(page, 'ada', testPassword)
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}

/** The root certificate of the Caddy in front of the portal. */
async function rootOf({ sites }: PortalPlace): Promise<string> {
  for await (const file of glob('**/pki/authorities/local/root.crt', { cwd: sites.folder }))
    return join(sites.folder, file)
  throw new Error(`Caddy has no root certificate below ${sites.folder}`)
}
