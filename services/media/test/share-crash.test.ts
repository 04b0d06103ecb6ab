import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { createRandom, eventually, startServiceProcess, temporaryDirectory } from '@hearth/testing'
import { csrfCookie } from '../src/accounts/csrf.ts'
import type { Job } from '../src/jobs/schema.ts'
import type { Share, ShareFetch } from '../src/shares/schema.ts'
import { knows } from './in-process.ts'
import { openCaller } from './open-caller.ts'
import { startPlatform } from './platform/platform.ts'

const rounds = 5

test('a service that is killed while it hands out a file counts the visitor once, and gives the file', async () => {
  await using platform = await startPlatform()
  await using folder = await temporaryDirectory()
  const environment = { ...knows(platform.host), DATA_DIR: join(folder.path, 'data'), LOG_LEVEL: 'fatal' }
  const random = createRandom(7)
  let service = await startServiceProcess('media', environment)
  try {
    const send = await openCaller(service.url)
    const form = { url: platform.page('video.mp4'), type: 'video', quality: 'max' }
    const { id } = (await send<Job>('POST', '/api/submit', form)).body
    await eventually(
      async () => (await send<Job>('GET', `/api/jobs/${id}`)).body.status,
      (status) => status === 'done',
      { what: 'the end of the download', seconds: 60, everyMs: 300 },
    )
    for (let round = 0; round < rounds; round += 1) {
      const { url, id: shareId } = await createShare(service.url, { job_ids: [id], max_uses: 1 })
      const path = new URL(url).pathname
      const headers = { 'x-forwarded-for': `192.0.2.${round + 1}` }
      const interrupted = fetch(`${service.url}${path}/1`, { headers }).then((answer) => answer.arrayBuffer())
      const isOver = interrupted.then(
        () => undefined,
        () => undefined,
      )
      await Promise.race([isOver, new Promise((resolve) => setTimeout(resolve, random() * 12))])
      await service.kill()
      await isOver
      service = await startServiceProcess('media', environment)
      const again = await fetch(`${service.url}${path}/1`, { headers })
      assert.equal(again.status, 200, `round ${round}`)
      assert.ok((await again.arrayBuffer()).byteLength > 10_000)
      const stranger = await fetch(`${service.url}${path}/1`, { headers: { 'x-forwarded-for': '198.51.100.7' } })
      await stranger.arrayBuffer()
      assert.equal(stranger.status, 404, `round ${round}`)
      const read = await openCaller(service.url)
      const { body: shares } = await read<Share[]>('GET', `/api/shares?job_id=${id}`)
      assert.equal(shares.find((share) => share.id === shareId)?.uses, 1, `round ${round}`)
      const { body: fetches } = await read<ShareFetch[]>('GET', `/api/shares/${shareId}/fetches`)
      assert.deepEqual(
        fetches.map(({ network }) => network),
        ['192.0.2.0/24'],
      )
    }
  } finally {
    await service.kill()
  }
})

async function createShare(url: string, json: object): Promise<Share> {
  const session = await fetch(`${url}/api/session`)
  await session.arrayBuffer()
  const token = new RegExp(`${csrfCookie}=([^;]+)`).exec(session.headers.getSetCookie().join(';'))?.[1] ?? ''
  const answer = await fetch(`${url}/api/shares`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-csrf-token': token, cookie: `${csrfCookie}=${token}` },
    body: JSON.stringify(json),
  })
  assert.equal(answer.status, 201)
  return (await answer.json()) as Share
}
