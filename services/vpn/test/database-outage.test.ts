import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { createPostgresDatabase, eventually, postgresObstacle, startTcpProxy } from '@hearth/testing'
import { startService, type TestService } from './in-process.ts'

/** Requests, and after how many of them the connections to the database break. */
const requests = 90
const every = 9

test(
  'when connections to PostgreSQL break in the middle of everything, what was acknowledged is there and the service goes on',
  { skip: postgresObstacle() },
  async () => {
    await using way = await startTcpProxy(await createPostgresDatabase())
    await using service = await startService({ DATABASE_URL: way.url })
    const { status, text } = await service.call('POST', '/api/interfaces', { name: 'wg0', address: '10.8.0.1/16' })
    assert.equal(status, 201, text)

    const wanted = new Map<string, string | null>()
    let begun = 0
    const work = async (lane: number) => {
      for (let index = 0; begun < requests; index += 1) {
        begun += 1
        if (begun % every === 0) {
          way.cut()
          way.restore()
        }
        await changeSomething(service, { wanted, name: `peer-${lane}-${index}` })
      }
    }
    await Promise.all([1, 2, 3, 4].map(work))

    const { body } = await eventually(
      () => service.call('GET', '/api/peers?limit=1'),
      (reply) => reply.status === 200,
    )
    for (const [id, name] of wanted) {
      const peer = await service.call('GET', `/api/peers/${id}`)
      assert.equal(peer.status === 404 ? null : peer.body.data.name, name, `what was answered about ${id}`)
    }
    assert.ok(wanted.size > requests / 8, `${wanted.size} were acknowledged`)
    const keys = await Promise.all(
      [0, 100].map(async (offset) => {
        const reply = await service.call('GET', `/api/peers?limit=100&offset=${offset}`)
        return reply.body.data.peers.map((peer: { public_key: string }) => peer.public_key)
      }),
    )
    assert.equal(keys.flat().length, body.data.total)
    await eventually(
      () => keysOnDevice(service.folder),
      (found) => isDeepStrictEqual(found, new Set(keys.flat())),
      // The check of the tunnels comes every half minute.
      { seconds: 120, what: 'the peers of the database on the device' },
    )
  },
)

/** Makes, renames or deletes a peer, and notes what was acknowledged; an answer that says that it failed may have done it or not. */
async function changeSomething(
  service: TestService,
  { wanted, name }: { wanted: Map<string, string | null>; name: string },
): Promise<void> {
  const made = await service.call('POST', '/api/peers', { name, interface: 'wg0' })
  if (made.status !== 201) return assert.ok(made.status >= 500, made.text)
  const { id } = made.body.data
  wanted.set(id, name)
  const renamed = await service.call('PUT', `/api/peers/${id}`, { name: `${name}-b` })
  if (renamed.status === 200) wanted.set(id, `${name}-b`)
  else wanted.delete(id)
  if (!name.endsWith('3')) return
  const gone = await service.call('DELETE', `/api/peers/${id}`)
  if (gone.status < 300) wanted.set(id, null)
  else wanted.delete(id)
}

async function keysOnDevice(folder: string): Promise<Set<string>> {
  const devices = JSON.parse(await readFile(join(folder, 'simulated-devices.json'), 'utf8'))
  return new Set(devices.wg0.peers.map(([key]: [string]) => key))
}
