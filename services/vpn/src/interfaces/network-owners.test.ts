import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate, openDatabase } from '@hearth/database'
import { CompiledQuery, createQueryId, type RootOperationNode } from 'kysely'
import { migrations } from '../database/migrations/index.ts'
import type { Tables } from '../tables.ts'
import { networkOwnerRows } from './store.ts'

test('networks behind peers are found without passing over the peers that have none', async () => {
  const database = openDatabase<Tables>({ file: ':memory:' })
  await using cleanup = new AsyncDisposableStack()
  cleanup.defer(() => database.close())
  const { query } = database
  await migrate(query, migrations)
  const asked: RootOperationNode[] = []
  await networkOwnerRows(
    query.withPlugin({
      transformQuery({ node }) {
        asked.push(node)
        return node
      },
      transformResult: ({ result }) => Promise.resolve(result),
    }),
  )
  const [node] = asked
  assert.ok(node !== undefined)
  const { sql, parameters } = query.getExecutor().compileQuery(node, createQueryId())
  const { rows } = await query.executeQuery<{ detail: string }>(
    CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]),
  )
  assert.deepEqual(
    rows.map(({ detail }) => detail),
    ['SCAN peers USING INDEX peers_with_networks'],
  )
})
