import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, postgresObstacle } from '@hearth/testing'
import type { Feed } from '../src/feeds/schema.ts'
import type { Job } from '../src/jobs/schema.ts'
import { openCaller } from './open-caller.ts'
import { openSharedPlace } from './shared-place.ts'

test(
  'two processes on one database lose no tag that both give at once, and hand out the same feeds',
  { skip: postgresObstacle(), timeout: 180_000 },
  async () => {
    await using place = await openSharedPlace()
    const { platform } = place
    await using first = await place.start('one')
    await using second = await place.start('two')
    const [one, two] = [await openCaller(first.url), await openCaller(second.url)]
    const form = { type: 'audio', quality: 'max' }
    const jobs = await Promise.all(
      [one, two].map(async (send, index) => {
        const url = platform.page('sound.m4a', { id: `${index}`, title: `Sound ${index}` })
        return (await send<Job>('POST', '/api/submit', { ...form, url })).body.id
      }),
    )
    await eventually(
      async () => (await two<Job[]>('GET', '/api/jobs?limit=10')).body,
      (all) => all.length === 2 && all.every(({ status }) => status === 'analysis_done'),
      { seconds: 90, everyMs: 300 },
    )

    // Each in another order of the jobs, so that nobody waits in a circle.
    const names = Array.from({ length: 12 }, (_, index) => `tag ${index}`)
    const answers = await Promise.all(
      names.map((name, index) => {
        const [send, ids] = index % 2 === 0 ? [one, jobs] : [two, jobs.toReversed()]
        return send('POST', '/api/library/tags', { json: { job_ids: ids, add: [name], remove: [] } })
      }),
    )
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
    for (const send of [one, two])
      for (const id of jobs) {
        const { tags } = (await send<Job>('GET', `/api/jobs/${id}`)).body
        assert.deepEqual(new Set(tags), new Set(names))
      }

    const { status, body: feed } = await one<Feed>('POST', '/api/feeds', { json: { name: 'Pods' } })
    assert.equal(status, 201)
    const token = new URL(feed.url).pathname
    const documents = await Promise.all([first, second].map(async ({ url }) => (await fetch(`${url}${token}`)).text()))
    for (const document of documents) assert.equal(document.match(/<item>/g)?.length, 2)
    const [, enclosure = ''] = /<enclosure url="([^"]+)"/.exec(documents[1] ?? '') ?? []
    const sound = new URL(enclosure).pathname
    for (const { url } of [first, second]) assert.equal((await fetch(`${url}${sound}`)).status, 200)
    assert.equal((await two('DELETE', `/api/feeds/${feed.id}`)).status, 200)
    for (const { url } of [first, second]) assert.equal((await fetch(`${url}${token}`)).status, 404)
  },
)
