import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  capabilityProbes,
  newestCapabilities,
  oldestCapabilities,
  probeConfig,
  readProbe,
} from '../src/caddy/capabilities.ts'
import { caddyObstacle, newCaddy, newCaddyObstacle, startCaddy } from './real-caddy.ts'

/** Asks a Caddy for each capability, as a node is asked. */
async function probe(binary?: string): Promise<{ found: object; texts: object; config: unknown }> {
  await using caddy = await startCaddy(binary)
  const before = await caddy.config()
  const texts: Record<string, string> = {}
  for (const one of capabilityProbes)
    texts[one.capability] = (await caddy.load(probeConfig(one, { listen: caddy.adminListen }))).error
  assert.deepEqual(await caddy.config(), before, 'a probe changed what runs')
  const found = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, readProbe(text)]))
  return { found, texts, config: before }
}

describe('capabilities of a Caddy are detected without changing its configuration', () => {
  test('2.6.2 has none of the newer capabilities', { skip: caddyObstacle() }, async () => {
    const { found, texts } = await probe()
    assert.deepEqual(found, { ...oldestCapabilities }, JSON.stringify(texts, null, 1))
  })

  test('2.11 has all of them', { skip: newCaddyObstacle() }, async () => {
    const { found, texts } = await probe(newCaddy())
    assert.deepEqual(found, { ...newestCapabilities }, JSON.stringify(texts, null, 1))
  })
})
