import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NewEvent } from '../events/schema.ts'
import type { ApplyResult, TriedNode } from './apply.ts'
import { appliedEvent } from './sync-sites.ts'

function told(nodes: readonly TriedNode[]): NewEvent[] {
  const result: ApplyResult = {
    sha: undefined,
    isChanged: false,
    revisionId: 7,
    refused: new Map([[3, 'no such module']]),
    refusedNames: new Map(),
    refusedByTrial: new Set([3]),
    nodes,
  }
  const event = appliedEvent(result, [{ siteIds: [3], cause: 'site.updated', author: 'ada' }])
  return event === undefined ? [] : [event]
}

test('a change refused by a node is reported as failed, with the node and the site', () => {
  const outcome = { kind: 'unreachable' as const, text: 'nobody there' }
  assert.deepEqual(told([{ id: 1, name: 'main', outcome }]), [
    {
      type: 'apply',
      action: 'failed',
      id: '7',
      details: { causes: ['site.updated'], refused: [3], nodes: [{ name: 'main', outcome: 'unreachable' }] },
    },
  ])
})

test('no failure is reported while no Caddy is managed', () => assert.deepEqual(told([]), []))
