import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { onBothDatabases } from '../../test/on-both-databases.ts'
import { type Db, insertRevision, pruneRevisions, sitesAtRevision } from './store.ts'

const plain = {
  created_at: 1,
  author: 'admin',
  cause: 'test',
  outcome: 'applied' as const,
  sha256: '',
  site_count: 0,
  duration_ms: 0,
  nodes: '[]',
  options: '{}',
}

/** Site 1 changes with every revision, site 2 came with the first and never changed, site 3 went with the fifth. */
async function addRevision(db: Db, number: number): Promise<number> {
  const version = { record: '{}', extras: '{}', created_at: 1, author: 'admin' }
  await db
    .insertInto('site_versions')
    .values({ site_id: 1, revision: number, name: 'one', ...version })
    .execute()
  const one = { site_id: 1, name: 'one', before_revision: number === 1 ? null : number - 1, after_revision: number }
  const sites = [one]
  if (number === 1)
    for (const id of [2, 3]) {
      await db
        .insertInto('site_versions')
        .values({ site_id: id, revision: 1, name: `${id}`, ...version })
        .execute()
      sites.push({ site_id: id, name: `${id}`, before_revision: null, after_revision: 1 })
    }
  const gone = { site_id: 3, name: '3', before_revision: 1, after_revision: null }
  return await insertRevision(db, plain, number === 5 ? [...sites, gone] : sites)
}

const stateAt = async (db: Db, id: number) =>
  (await sitesAtRevision(db, id)).map(({ site_id: site, after_revision: version }) => [site, version])

describe('pruning revisions', () => {
  onBothDatabases(async ({ query }) => {
    for (let number = 1; number <= 30; number += 1) {
      const id = await addRevision(query, number)
      await query.transaction().execute((trx) => pruneRevisions(trx as unknown as Db, id, 10))
    }
    const ids = (await query.selectFrom('revisions').select('id').orderBy('id').execute()).map(({ id }) => id)
    assert.deepEqual([ids.length, ids[0], ids.at(-1)], [10, 21, 30])
    for (const id of ids)
      assert.deepEqual(await stateAt(query, id), [
        [1, id],
        [2, 1],
      ])
    const versions = await query
      .selectFrom('site_versions')
      .select(['site_id', 'revision'])
      .orderBy('site_id')
      .execute()
    assert.deepEqual(
      versions.filter(({ site_id: site }) => site !== 1).map(({ site_id: site, revision }) => [site, revision]),
      [
        [2, 1],
        [3, 1],
      ],
    )
    const first = versions.filter(({ site_id: site }) => site === 1).map(({ revision }) => revision)
    assert.equal(Math.min(...first), 20)
  })
})
