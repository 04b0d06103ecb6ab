import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { migrate, openDatabase, type DatabaseLocation } from '@hearth/database'
import { createPostgresDatabase, postgresObstacle, temporaryDirectory } from '@hearth/testing'
import { makePng } from '../../test/pictures/make-png.ts'
import { migrations } from '../database/migrations/index.ts'
import type { Tables } from '../tables.ts'
import { deleteFile, writeFileRow } from './store.ts'
import { logoFile, openWatermark } from './watermark.ts'

const pictures = [10, 20].map((red) => makePng({ width: 40, height: 40, red }))
const [first, second] = pictures as [Buffer, Buffer]
const digestOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

function onDatabase(location: DatabaseLocation, name: string): void {
  test(`${name}: every process has the latest picture as its own file`, async () => {
    await using place = await temporaryDirectory('watermark')
    const database = openDatabase<Tables>(location)
    await migrate(database.query, migrations)
    const db = database.query
    const store = (bytes: Buffer) => writeFileRow(db, { name: logoFile, digest: digestOf(bytes), bytes })
    const folders = ['web', 'worker'].map((folder) => join(place.path, folder))
    const [web, worker] = folders.map((folder) => openWatermark({ db, folder }))
    assert(web !== undefined && worker !== undefined)
    const bundled = await web.withPicture((path) => Promise.resolve(path))
    assert.match(bundled, /assets\/watermark\.png$/)
    await store(first)
    for (const one of [web, worker]) assert.deepEqual(await one.withPicture((path) => readFile(path)), first)
    const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const late = worker.withPicture(async (path) => {
      begun.resolve()
      await held.promise
      return readFile(path)
    })
    await begun.promise
    await store(second)
    assert.deepEqual(await worker.withPicture((path) => readFile(path)), second)
    held.resolve()
    assert.deepEqual(await late, first, 'work that began with the old picture goes on with it')
    const [path = ''] = (await readdir(folders[0] ?? '')).map((file) => join(folders[0] ?? '', file))
    assert.equal((await stat(path)).mode & 0o777, 0o600)
    assert.equal(await deleteFile(db, logoFile), true)
    assert.equal(await deleteFile(db, logoFile), false)
    assert.equal(await worker.withPicture((path) => Promise.resolve(path)), bundled)
    await store(first)
    await web.withPicture(() => Promise.resolve())
    await store(second)
    await web.withPicture(() => Promise.resolve())
    assert.deepEqual(await readdir(folders[0] ?? ''), [`${digestOf(second)}.png`], 'old ones are removed')
    await database.close()
  })
}

const folder = await temporaryDirectory('watermark-db')
after(() => folder[Symbol.asyncDispose]())
onDatabase({ file: join(folder.path, 'media.db') }, 'SQLite')
const obstacle = postgresObstacle()
if (obstacle === false) onDatabase({ url: await createPostgresDatabase() }, 'PostgreSQL')
else test('PostgreSQL', { skip: obstacle })
