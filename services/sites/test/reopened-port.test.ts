import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '@hearth/testing'
import { portReopened } from './reopened-port.ts'

async function listenAt(port: number) {
  const server = createServer().listen({ port, host: '127.0.0.1', reusePort: true })
  await once(server, 'listening')
  return server
}

test('a port counts as reopened when the old listener is gone', async () => {
  const port = await freePort()
  await portReopened(port)
  const former = await listenAt(port)
  await portReopened(port)
  await using _newer = await listenAt(port)
  let isOpenAnew = false
  const waiting = portReopened(port).then(() => (isOpenAnew = true))
  await Promise.race([waiting, pause(100)])
  assert.equal(isOpenAnew, false)
  former.close()
  await waiting
})
