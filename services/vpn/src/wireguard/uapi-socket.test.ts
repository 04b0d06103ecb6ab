import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { temporaryDirectory } from '@hearth/testing'
import { DeviceError } from './device.ts'
import { NobodyListens, UapiClient } from './uapi-socket.ts'

const timeout = 10_000

describe('requests to a userspace device', () => {
  it('reads long and short replies one after the other, each its own', async (t) => {
    const path = await device(t, (request) => `${request.trim().repeat(100_000)}\n\n`)
    const client = new UapiClient()
    for (const request of ['ab\n\n', 'c\n\n', 'defg\n\n']) {
      const reply = await client.fetch({ path, request, timeout }, String)
      assert.equal(reply, `${request.trim().repeat(100_000)}\n\n`)
    }
  })

  it('keeps simultaneous replies apart', async (t) => {
    const path = await device(t, (request) => `${request.trim().repeat(50_000)}\n\n`)
    const client = new UapiClient()
    const replies = await Promise.all(
      ['one', 'two', 'three'].map((word) =>
        client.fetch({ path, request: `${word}\n\n`, timeout }, async (reply) => {
          await new Promise(setImmediate)
          return String(reply)
        }),
      ),
    )
    assert.deepEqual(
      replies,
      ['one', 'two', 'three'].map((word) => `${word.repeat(50_000)}\n\n`),
    )
  })

  it('reports a missing listener and a timeout', async (t) => {
    const path = await device(t, () => 'no end')
    const client = new UapiClient()
    await assert.rejects(client.fetch({ path: `${path}.gone`, request: 'get=1\n\n', timeout }, String), NobodyListens)
    await assert.rejects(client.fetch({ path, request: 'get=1\n\n', timeout: 50 }, String), DeviceError)
  })
})

/** A socket that answers every request in pieces of any size; returns its path. */
async function device(t: TestContext, answer: (request: string) => string): Promise<string> {
  const folder = await temporaryDirectory('uapi')
  const server = createServer((socket) => {
    socket.on('data', (request) => socket.write(answer(String(request))))
    socket.on('error', () => undefined)
  }).listen(join(folder.path, 'device.sock'))
  await once(server, 'listening')
  t.after(async () => {
    server.close()
    await folder[Symbol.asyncDispose]()
  })
  return join(folder.path, 'device.sock')
}
