import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { temporaryDirectory } from '@hearth/testing'
import { makeNpmDatabase } from '../../../test/npm-fixture.ts'
import { NpmUnreadable, readNpmDatabase } from './npm-database.ts'

describe('reading a Nginx Proxy Manager database', () => {
  const refuses = (bytes: Uint8Array, message: RegExp) =>
    assert.rejects(readNpmDatabase(bytes), (error) => error instanceof NpmUnreadable && message.test(error.message))

  test('a file that is no such database is refused with a reason', async () => {
    await refuses(Buffer.from('-- MySQL dump'), /no SQLite database/)
    await refuses(Buffer.alloc(0), /no SQLite database/)
    await refuses(await makeNpmDatabase({}, { sql: 'drop table proxy_host' }), /no table proxy_host/)
    await refuses(Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(5000, 7)]), /damaged/)
  })

  test('a view in place of a table is not executed', async () => {
    const sql =
      'drop table stream; create view stream as with recursive n(i) as (select 1 union all select i + 1 from n) select i as id from n'
    const tables = await readNpmDatabase(await makeNpmDatabase({}, { sql }))
    assert.deepEqual(tables.stream, [])
  })

  test('no temporary files are left behind', async () => {
    await using folder = await temporaryDirectory('npm')
    await readNpmDatabase(await makeNpmDatabase({}), folder.path)
    const wrong = await makeNpmDatabase({}, { sql: 'drop table proxy_host' })
    await assert.rejects(readNpmDatabase(wrong, folder.path))
    assert.deepEqual(await readdir(folder.path), [])
  })
})
