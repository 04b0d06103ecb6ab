import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import type { Collection } from '../src/collections/schema.ts'
import type { Job, SomeRemoved } from '../src/jobs/schema.ts'
import type { LibraryPage, TagCounts } from '../src/library/schema.ts'
import type { Share } from '../src/shares/schema.ts'
import { knows, startMedia, type Media } from './in-process.ts'
import { startPlatform, type Platform } from './platform/platform.ts'

describe('library', () => {
  let platform: Platform
  let media: Media
  let sound: Job
  let film: Job

  before(async () => {
    platform = await startPlatform()
    media = await startMedia(knows(platform.host))
    sound = await add('sound.opus', 'Café del Mar', 'audio')
    film = await add('video.mp4', 'A film by night', 'video')
    const failed = await media.submit(platform.page('gone.mp4', { id: 'gone', title: 'Night of nothing' }))
    await media.reach(failed.id, 'error')
  })
  after(async () => {
    await media[Symbol.asyncDispose]()
    await platform[Symbol.asyncDispose]()
  })

  const add = async (file: string, title: string, type: string) => {
    const { id } = await media.submit(platform.page(file, { id: file.replace('.', ''), title }), { type })
    return media.reach(id, 'done', 'analysis_done')
  }
  const search = async (query: string) => (await media.json<LibraryPage>('GET', `/api/library?${query}`)).body
  // The tool counts the videos of a page in their titles.
  const titles = async (query: string) =>
    (await search(query)).items.map((job) => job.video_title?.replace(/ \(1\)$/, ''))
  const tag = (json: object) => media.json<{ jobs: Job[] }>('POST', '/api/library/tags', { json })

  test('finds finished downloads by the beginnings of their words, whatever their accents', async () => {
    assert.deepEqual(await search(''), { items: [film, sound], total: 2, is_total_exact: true })
    assert.deepEqual(await titles('q=CAFE+ma'), ['Café del Mar'])
    assert.deepEqual(await titles('q=night'), ['A film by night'])
    assert.deepEqual(await titles('q=film+cafe'), [])
    assert.deepEqual(await titles('q=%22*%29+OR+1%3D1'), [])
    assert.deepEqual(await titles('type=audio'), ['Café del Mar'])
    assert.deepEqual(await titles('type=video&platform=youtube&length_to=3600'), ['A film by night'])
  })

  test('narrows by tempo, key and length', async () => {
    const { body } = await media.json<Job>('POST', `/api/jobs/${sound.id}/tempo`, { json: { bpm: 123 } })
    assert.equal(body.bpm, 123)
    assert.deepEqual(await titles('bpm_from=120&bpm_to=125'), ['Café del Mar'])
    assert.deepEqual(await titles('bpm_from=124'), [])
    assert.deepEqual(await titles(`keys=${sound.key_camelot ?? '8A'},1A`), sound.key === null ? [] : ['Café del Mar'])
    assert.deepEqual(await titles('length_from=3600'), [])
  })

  test('what is wrong in a search is named', async () => {
    for (const [query, word] of [
      ['keys=13C', 'keys'],
      ['bpm_from=fast', 'bpm_from'],
      ['sort=colour', 'sort'],
      ['limit=1000', 'limit'],
      ['collection=x', 'collection'],
    ] as const) {
      const { status, body } = await media.json<{ detail: string }>('GET', `/api/library?${query}`)
      assert.deepEqual([status, body.detail.includes(word)], [400, true], `${query}: ${body.detail}`)
    }
  })

  test('tags are given and taken, found, counted, and shown with the download', async () => {
    const both = { job_ids: [sound.id, film.id, randomUUID()] }
    const given = await tag({ ...both, add: ['  Peak   Time ', 'Übung'] })
    assert.deepEqual(
      [given.status, given.body.jobs.map((job) => job.tags)],
      [
        200,
        [
          ['peak time', 'übung'],
          ['peak time', 'übung'],
        ],
      ],
    )
    await tag({ job_ids: [film.id], add: ['client'], remove: ['ÜBUNG'] })
    assert.deepEqual((await media.json<Job>('GET', `/api/jobs/${film.id}`)).body.tags, ['peak time', 'client'])
    assert.deepEqual(await titles('tags=peak%20time'), ['A film by night', 'Café del Mar'])
    assert.deepEqual(await titles('tags=peak time,client'), ['A film by night'])
    assert.deepEqual(await titles('q=ubun'), ['Café del Mar'])
    const counts = (await media.json<TagCounts>('GET', '/api/library/tags')).body
    assert.deepEqual(counts, [
      { tag: 'peak time', count: 2 },
      { tag: 'client', count: 1 },
      { tag: 'übung', count: 1 },
    ])
    await media.restart()
    assert.deepEqual(await titles('tags=client'), ['A film by night'])
  })

  test('a tag that is none, and too many, are refused, and then no download has changed', async () => {
    for (const name of ['', '   ', 'a,b', 'x'.repeat(41), 'bell\u0007'])
      assert.equal((await tag({ job_ids: [sound.id], add: [name] })).status, 400, JSON.stringify(name))
    const many = Array.from({ length: 20 }, (_, index) => `t${index}`)
    await tag({ job_ids: [film.id], add: many })
    const before = (await media.json<Job>('GET', `/api/jobs/${sound.id}`)).body.tags
    const { status } = await tag({ job_ids: [sound.id, film.id], add: many.map((name) => `u${name}`) })
    assert.equal(status, 400)
    assert.deepEqual((await media.json<Job>('GET', `/api/jobs/${sound.id}`)).body.tags, before)
    await tag({ job_ids: [film.id], remove: many })
    // Half a pair of a character is no text that every database takes.
    const odd = await tag({ job_ids: [film.id], add: ['\ud800'] })
    assert.deepEqual([odd.status, odd.body.jobs[0]?.tags.at(-1)], [200, '\ufffd'])
    await tag({ job_ids: [film.id], remove: ['\ufffd'] })
  })

  test('collections keep downloads in the order of adding', async () => {
    const made = await media.json<Collection>('POST', '/api/collections', { json: { name: ' Friday ' } })
    assert.deepEqual([made.status, made.body.name, made.body.item_count], [201, 'Friday', 0])
    const { id } = made.body
    const change = (json: object) => media.json<Collection>('POST', `/api/collections/${id}/jobs`, { json })
    assert.equal((await change({ add: [sound.id, randomUUID()] })).body.item_count, 1)
    assert.equal((await change({ add: [film.id, sound.id] })).body.item_count, 2)
    assert.deepEqual(await titles(`collection=${id}`), ['Café del Mar', 'A film by night'])
    assert.deepEqual(await titles(`collection=${id}&q=film`), ['A film by night'])
    assert.deepEqual(await titles(`collection=${id}&sort=title`), ['A film by night', 'Café del Mar'])
    await change({ remove: [sound.id] })
    assert.deepEqual(await titles(`collection=${id}`), ['A film by night'])
    const renamed = await media.json<Collection>('PATCH', `/api/collections/${id}`, { json: { name: 'Saturday' } })
    assert.equal(renamed.body.name, 'Saturday')
    const list = (await media.json<Collection[]>('GET', '/api/collections')).body
    assert.deepEqual(list, [{ ...renamed.body }])
    assert.equal((await media.call('DELETE', `/api/collections/${id}`)).status, 200)
    for (const [method, path] of [
      ['DELETE', `/api/collections/${id}`],
      ['POST', `/api/collections/${id}/jobs`],
      ['PATCH', `/api/collections/${id}`],
    ] as const) {
      const json = method === 'PATCH' ? { name: 'x' } : {}
      assert.equal((await media.call(method, path, method === 'DELETE' ? {} : { json })).status, 404)
    }
    assert.equal((await media.json('GET', `/api/jobs/${film.id}`)).status, 200)
  })

  test('downloads that are deleted leave the library, their collections and the disk', async () => {
    const { body } = await media.json<Collection>('POST', '/api/collections', { json: { name: 'Leaving' } })
    await media.json('POST', `/api/collections/${body.id}/jobs`, { json: { add: [film.id, sound.id] } })
    const link = await media.json<Share>('POST', '/api/shares', { json: { job_ids: [film.id, sound.id] } })
    const alone = await media.json<Share>('POST', '/api/shares', { json: { job_ids: [film.id] } })
    assert.deepEqual([link.status, alone.status], [201, 201])
    const json = { job_ids: [film.id, randomUUID()] }
    const removed = await media.json<SomeRemoved>('POST', '/api/jobs/remove', { json })
    assert.deepEqual(removed.body, { ok: true, message: '1 job was deleted', jobs_deleted: 1, files_deleted: 1 })
    assert.equal((await media.call('GET', `/download/${film.id}`)).status, 404)
    assert.deepEqual(await titles(''), ['Café del Mar'])
    assert.deepEqual(await titles('q=client'), [])
    assert.equal((await media.json<Collection[]>('GET', '/api/collections')).body[0]?.item_count, 1)
    assert.deepEqual(await media.service.app.core.artifacts.list(film.id), [])
    // A link goes on with the files that are left.
    const links = (await media.json<Share[]>('GET', '/api/shares')).body
    assert.deepEqual(
      links.map(({ id, files }) => [id, files.map(({ job_id }) => job_id)]),
      [[link.body.id, [sound.id]]],
    )
    assert.equal((await media.call('GET', `${new URL(link.body.url).pathname}/1`)).status, 200)
  })
})
