import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { onBothDatabases } from '../../test/on-both-databases.ts'
import { SiteCreate } from './schema.ts'
import { siteRow } from './site-row.ts'
import { domainOwnersBeside } from './domain-store.ts'
import { putSiteRow, type Db } from './store.ts'

async function addSite(db: Db, id: number, domains: string[]): Promise<void> {
  const record = { ...SiteCreate.parse({ site_name: `Site ${id}`, domains, kind: 'respond' }), basic_auth: [] }
  const about = { id, revision: 1, created_at: 0, updated_at: 0 }
  await putSiteRow(db, siteRow({ record, extras: { hashes: {} } }, about))
}

describe('sites whose names matter to another', () => {
  onBothDatabases(async ({ query }) => {
    await addSite(query, 1, ['a.example.org', 'b.example.org'])
    await addSite(query, 2, ['*.example.org'])
    await addSite(query, 3, ['example.org', 'a.b_c.test'])
    await addSite(query, 4, ['a.bxc.test', 'deep.a.example.org'])
    const beside = async (name: string, ...domains: string[]) =>
      (await domainOwnersBeside(query, { site_name: name, domains })).map(({ id }) => id)
    assert.deepEqual(await beside('new', 'a.example.org'), [1, 2])
    assert.deepEqual(await beside('new', 'new.example.org'), [2])
    assert.deepEqual(await beside('SITE 3', 'other.test'), [3])
    assert.deepEqual(await beside('new', '*.b_c.test'), [3], 'an underscore is no wildcard')
    assert.deepEqual(await beside('new', '*.example.org'), [1, 2, 4])
    assert.deepEqual(await beside('new'), [])
    const [owner] = await domainOwnersBeside(query, { site_name: 'new', domains: ['b.example.org'] })
    assert.deepEqual(owner, { id: 1, site_name: 'Site 1', domains: ['a.example.org', 'b.example.org'] })
  })
})
