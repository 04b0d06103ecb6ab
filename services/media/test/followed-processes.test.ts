import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, postgresObstacle } from '@hearth/testing'
import { csrfCookie } from '../src/accounts/csrf.ts'
import type { Follow } from '../src/follows/schema.ts'
import type { Job } from '../src/jobs/schema.ts'
import { openCaller } from './open-caller.ts'
import { openSharedPlace } from './shared-place.ts'

async function post(url: string, path: string, json: unknown): Promise<Response> {
  const session = await fetch(`${url}/api/session`)
  const token = new RegExp(`${csrfCookie}=([^;]+)`).exec(session.headers.getSetCookie().join(';'))?.[1] ?? ''
  const headers = { 'content-type': 'application/json', 'x-csrf-token': token, cookie: `${csrfCookie}=${token}` }
  return fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(json) })
}

test(
  'two processes on one database follow two lists that share media, and download each medium once',
  { skip: postgresObstacle(), timeout: 180_000 },
  async () => {
    await using place = await openSharedPlace()
    const { platform } = place
    await using one = await place.start('one')
    await using two = await place.start('two')
    const entry = (id: string) => ({ url: platform.page('sound.m4a', { id }), title: `Sound ${id}` })
    const first = platform.feed('first', ['a', 'b', 'c'].map(entry))
    const second = platform.feed('second', ['b', 'c', 'd'].map(entry))
    assert.equal((await post(one.url, '/api/settings', { list_spacing_seconds: 0 })).status, 200)
    const created = await Promise.all([
      post(one.url, '/api/followed', { url: first, takes_present: true }),
      post(two.url, '/api/followed', { url: second, takes_present: true }),
    ])
    assert.deepEqual(
      created.map(({ status }) => status),
      [201, 201],
    )
    const send = await openCaller(two.url)
    const all = await eventually(
      async () => (await send<Job[]>('GET', '/api/jobs?limit=100')).body,
      (jobs) => jobs.length >= 4 && jobs.every(({ status }) => status === 'analysis_done'),
      { seconds: 90, everyMs: 500 },
    )
    assert.equal(new Set(all.map(({ url }) => url)).size, 4)
    assert.equal(all.length, 4)
    const lists = (await send<Follow[]>('GET', '/api/followed')).body
    assert.deepEqual(
      lists.map(({ known, failures }) => [known, failures]),
      [
        [3, 0],
        [3, 0],
      ],
    )
  },
)
