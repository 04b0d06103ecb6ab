import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPostgresDatabase, postgresObstacle } from '@hearth/testing'
import { startService, type TestService } from './in-process.ts'
import { doneOn, furnishRichly, richPeers } from './wanted-state.ts'

const passphrase = 'twelve green bottles'

async function exported(service: TestService, secret?: string): Promise<string> {
  const reply =
    secret === undefined
      ? await service.call('GET', '/api/export')
      : await service.call('POST', '/api/export', { passphrase: secret })
  assert.equal(reply.status, 200, reply.text)
  return reply.text
}

test('export, an empty data directory, apply, export: the same text, with all secrets', async () => {
  await using first = await startService()
  await furnishRichly(doneOn(first))
  const text = await exported(first, passphrase)
  assert.equal(await exported(first, passphrase), text, 'the same state gives the same bytes')
  await using second = await startService()
  const done = doneOn(second)
  const trial = await done('POST', '/api/apply', { text, passphrase, prune: true, dry_run: true })
  assert.equal(trial.applied, false)
  assert.deepEqual((await done('GET', '/api/interfaces')).length, 0, 'a dry run leaves nothing behind')
  const report = await done('POST', '/api/apply', { text, passphrase, prune: true, expected_plan: trial.plan })
  assert.deepEqual([report.applied, report.plan], [true, trial.plan])
  assert.equal(report.changes.filter((change: { section: string }) => change.section === 'peers').length, richPeers)
  assert.equal(await exported(second, passphrase), text)
  const again = await done('POST', '/api/apply', { text, passphrase, prune: true })
  assert.deepEqual([again.changes, again.not_in_file], [[], []])
  // The keys are the same: each device would be handed the same configuration.
  const configurations = async (service: TestService) => {
    const { peers } = await doneOn(service)('GET', '/api/peers?limit=100&sort=name')
    const own = peers.filter((peer: { has_private_key: boolean }) => peer.has_private_key)
    return Promise.all(
      own.map(async ({ id }: { id: string }) => (await service.call('GET', `/api/peers/${id}/config`)).text),
    )
  }
  assert.deepEqual(await configurations(second), await configurations(first))
  // Without secrets, too, they are the same.
  const plain = await exported(first)
  assert.equal(await exported(second), plain)
  assert.deepEqual((await done('POST', '/api/apply', { text: plain, prune: true })).changes, [])
  for (const secret of [/private_key/, /v1\./]) assert.doesNotMatch(plain, secret)
})

test('a file goes from SQLite to PostgreSQL, and is changed there', { skip: postgresObstacle() }, async () => {
  await using first = await startService()
  await furnishRichly(doneOn(first))
  const text = await exported(first, passphrase)
  await using second = await startService({ DATABASE_URL: await createPostgresDatabase() })
  const done = doneOn(second)
  await done('POST', '/api/apply', { text, passphrase, prune: true })
  assert.equal(await exported(second, passphrase), text)
  // Two peers exchange their names.
  const changed = text.replace(/^ {2}peer 11:$/m, '  peer X:').replace(/^ {2}peer 12:$/m, '  peer 11:')
  const report = await done('POST', '/api/apply', {
    text: changed.replace('peer X:', 'peer 12:'),
    passphrase,
    prune: true,
  })
  assert.deepEqual(
    report.changes.map((change: { name: string; renamed_from: string }) => `${change.renamed_from} → ${change.name}`),
    ['peer 12 → peer 11', 'peer 11 → peer 12'],
  )
})
