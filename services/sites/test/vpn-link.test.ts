import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { execa } from 'execa'
import { networkOfItsOwn } from './continuous-load/own-network.ts'
import { caddyObstacle } from './real-caddy.ts'

const network = await networkOfItsOwn()
const obstacle = caddyObstacle() ?? (network.length === 0 ? 'no network of its own can be made' : undefined)

test('sites linked with a real VPN, visited from home, the tunnel and outside', { skip: obstacle }, async () => {
  const [program, ...args] = [...network, process.execPath, join(import.meta.dirname, 'vpn-link-inside.ts')]
  // The test within is a run of its own, and no part of this one.
  const env = { NODE_TEST_CONTEXT: undefined }
  const { exitCode, all } = await execa(program, args, { reject: false, all: true, env, timeout: 240_000 })
  assert.equal(exitCode, 0, all)
})
