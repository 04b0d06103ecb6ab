import type { Database } from '@hearth/database'
import { openDataDirectory } from '@hearth/runtime'
import { openSealedStorage } from '@hearth/service'
import { temporaryDirectory } from '@hearth/testing'
import type { z } from 'zod'
import { readConfig } from '../src/config.ts'
import { databaseDescription } from '../src/database/description.ts'
import { SiteCreate } from '../src/sites/schema.ts'
import { siteRow } from '../src/sites/site-row.ts'
import { insertVersion, putSiteRow } from '../src/sites/store.ts'
import type { SiteTables } from '../src/sites/tables.ts'
import type { Tables } from '../src/tables.ts'
import { startSites, type Sites } from '../test/in-process.ts'

/** A site like most: a name, an upstream and a header. */
export function ordinarySite(number: number, upstream: string): z.input<typeof SiteCreate> {
  return {
    site_name: `ordinary-${number}`,
    domains: [`s${number}.test`],
    tls: { mode: 'off' },
    upstreams: [{ url: upstream }],
    response_headers: [{ op: 'set', name: 'X-Site', value: String(number) }],
  }
}

/** A service with a Caddy of its own that serves so many sites, numbered from 1, when it is returned. */
export async function startWithSites(count: number, upstream: string): Promise<{ sites: Sites } & AsyncDisposable> {
  await using cleanup = new AsyncDisposableStack()
  const folder = cleanup.use(await temporaryDirectory('bench'))
  await fillFolder(folder.path, count, upstream)
  const sites = cleanup.use(await startSites({}, { folder: folder.path, caddy: true }))
  const resources = cleanup.move()
  return { sites, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

/** Writes so many sites into a data directory, as if somebody had made them long ago. */
export async function fillFolder(path: string, count: number, upstream: string): Promise<void> {
  openDataDirectory(path)
  const { database } = await openSealedStorage<Tables>(databaseDescription, readConfig({ DATA_DIR: path }))
  const { query } = database as Database<SiteTables>
  await query.transaction().execute(async (trx) => {
    for (let id = 1; id <= count; id += 1) {
      const { basic_auth: _, ...rest } = SiteCreate.parse(ordinarySite(id, upstream))
      const wanted = { record: { ...rest, basic_auth: [] }, extras: { hashes: {} } }
      const row = siteRow(wanted, { id, revision: 1, created_at: 0, updated_at: 0 })
      await putSiteRow(trx, row)
      const { name, record, extras } = row
      await insertVersion(trx, { site_id: id, revision: 1, name, record, extras, created_at: 0, author: 'bench' })
    }
  })
  await database.close()
}
