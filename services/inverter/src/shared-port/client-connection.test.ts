import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import { test } from 'node:test'
import { systemTimers } from '@hearth/runtime'
import { encodeRequest, type Frame } from '../protocol/frame.ts'
import { createFrameParser } from '../protocol/parser.ts'
import type { Outcome } from './answers.ts'
import { ClientConnection } from './client-connection.ts'

test('a request that fails here is noted and not answered, and the program is served on', async (t) => {
  const failures: unknown[] = []
  const connections: ClientConnection[] = []
  const answer = ({ objectId }: Frame): Promise<Outcome> =>
    objectId === 1
      ? Promise.reject(new Error('the database is away'))
      : Promise.resolve({ kind: 'answered', payload: Uint8Array.of(7), isFromCache: false })
  const server = createServer((socket) => {
    const nothing = () => undefined
    const onFailure = (error: unknown) => failures.push((error as Error).message)
    const dependencies = { timers: systemTimers, answer, onOutcome: nothing, onClose: nothing, onFailure }
    connections.push(new ClientConnection(socket, dependencies))
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  t.after(() => client.destroy())
  const answered = Promise.withResolvers<number>()
  const parser = createFrameParser({ onFrame: ({ objectId }) => answered.resolve(objectId) })
  client.on('data', (bytes: Buffer) => parser.push(bytes))
  client.write(encodeRequest('read', 1))
  client.write(encodeRequest('read', 2))
  assert.equal(await answered.promise, 2)
  assert.deepEqual([failures, connections[0]?.requests], [['the database is away'], 2])
})
