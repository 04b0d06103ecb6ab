import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { eventually } from '@hearth/testing'
import type { Hint, HintList } from '../src/hints/schema.ts'
import { startNamesFixture } from './names-fixture.ts'

/** A name as a tunnel makes it: 48 characters that are different each time. */
const tunnelName = (index: number) =>
  `${createHash('sha256').update(String(index)).digest('hex').slice(0, 48)}.t.evil.example`

test('names of a tunnel that the resolver answers become a hint, which a purge of the queries takes with it', async () => {
  await using fixture = await startNamesFixture()
  const list = (query = ''): Promise<HintList> => fixture.call('GET', `/api/hints${query}`)
  assert.deepEqual((await list()).hints, [])
  await fixture.look(...Array.from({ length: 60 }, () => 'a-long-name-of-a-cloud-service.example.com'))
  await fixture.look(...Array.from({ length: 130 }, (_, index) => tunnelName(index)))
  const { hints } = await eventually(list, ({ open }) => open > 0, { what: 'a hint', seconds: 60 })
  assert.equal(hints.length, 1)
  const [hint] = hints as [Hint]
  assert.equal(hint.title, 'DNS queries of Phone look like a tunnel through evil.example')
  assert.ok(hint.evidence.kind === 'tunnelling')
  assert.ok(hint.evidence.examples.every((name) => /^[0-9a-f]{48}\.t$/.test(name)))
  assert.equal(hint.evidence.mean_length, 49)
  assert.ok(hint.evidence.names >= 100)
  assert.deepEqual(await fixture.call('GET', `/api/hints/${hint.id}`), hint)
  assert.equal((await list(`?peer=${hint.subject.id}&kind=tunnelling`)).hints.length, 1)
  await fixture.call('POST', `/api/hints/${hint.id}/answer`, { answer: 'expected', scope: 'topic' })
  const [exception] = await fixture.call('GET', '/api/hint-exceptions')
  assert.equal(exception.topic, 'evil.example')
  await fixture.call('DELETE', `/api/hint-exceptions/${exception.id}`)
  assert.equal((await list('?status=answered')).hints.length, 1)
  await fixture.call('POST', '/api/dns/queries/purge', { client: 'Phone' })
  assert.deepEqual((await list('?status=all')).hints, [])
})

test('the resolver looks for nothing that is switched off', async () => {
  await using fixture = await startNamesFixture()
  const watches = (wanted: object) =>
    eventually(
      async () =>
        JSON.parse(await readFile(join(fixture.folder, 'dns', 'settings.json'), 'utf8')) as { watched: object },
      ({ watched }) => isDeepStrictEqual(watched, wanted),
      { what: `a resolver that looks for ${JSON.stringify(wanted)}` },
    )
  await watches({ tunnels: true, blocked: true })
  await fixture.call('PUT', '/api/settings', { hints_tunnelling: false })
  await watches({ tunnels: false, blocked: true })
  await fixture.call('PUT', '/api/settings', { hints_list_surge: false })
  await watches({ tunnels: false, blocked: false })
})
