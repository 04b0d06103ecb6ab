import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { ResolverProfile, ResolverRule } from '../src/dns/resolver-files.ts'
import { profileClient } from '../src/dns/policy/profile-table.ts'
import { addressOf, startFakeNameserver } from './fake-nameserver.ts'
import { startResolverFixture } from './loopback-resolver.ts'

const source = '127.0.0.9'
const client = {
  number: 1,
  id: 'p1',
  name: 'tablet',
  label: 'tablet',
  addresses: [source],
  filtering: true,
  lists: null,
  logging: false,
  profile: 1,
}

/** What holds for the tablet is the profile of this number, which blocks a name; it is the only one whose rules there are. */
function filesFor(holds: number): { profiles: ResolverProfile[]; rules: ResolverRule[] } {
  const rule = { number: holds, action: 'block', domain: 'games.example', belowOnly: false } as const
  return {
    profiles: [{ number: 1, holds, isPaused: false, lists: null, blockMode: 0, safety: 0 }],
    rules: [{ ...rule, client: profileClient(holds) }],
  }
}

test('files that change together come into force in one step', async () => {
  await using nameserver = await startFakeNameserver()
  await using fixture = await startResolverFixture({
    upstreamPort: nameserver.port,
    clients: [client],
    settings: { peerNamesSuffix: 'vpn' },
    ...filesFor(1),
  })
  const { resolver, directory } = fixture
  const ask = (name: string) => fixture.ask(name, source)
  await resolver.ready()
  const end = new AbortController()
  const asking = (async () => {
    let count = 0
    for (; !end.signal.aborted; count += 1) {
      const { isBlocked } = await ask('games.example')
      assert.ok(isBlocked, `the query ${count} was let through`)
    }
    return count
  })()
  const write = (name: string, value: object) => writeFile(join(directory, `${name}.json`), JSON.stringify(value))
  for (let round = 2; round < 30; round += 1) {
    const { profiles, rules } = filesFor(round)
    await write('profiles', profiles)
    await write('rules', rules)
    await write('names', [{ label: `laptop-${round}`, addresses: ['10.9.0.7'] }])
    await resolver.changed('all')
  }
  end.abort()
  assert.ok((await asking) > 30)
  assert.deepEqual((await ask('laptop-29.vpn')).addresses, ['10.9.0.7'])
  assert.deepEqual((await ask('laptop-28.vpn')).rcode, 3)
  assert.deepEqual((await ask('tablet.vpn')).addresses, [source])

  // A file that is damaged changes nothing of what holds.
  await write('profiles', [])
  await writeFile(join(directory, 'rules.json'), '[{"number":')
  await assert.rejects(resolver.changed('all'), /rules\.json/)
  assert.ok((await ask('games.example')).isBlocked)
  await write('rules', [])
  await resolver.changed('all')
  assert.deepEqual((await ask('games.example')).addresses, [addressOf('games.example')])
})

test('a profile and the list that it names come into force in one step', async () => {
  await using nameserver = await startFakeNameserver()
  const profiles = (list: string): ResolverProfile[] => [
    { number: 1, holds: 1, isPaused: false, lists: [list], blockMode: 0, safety: 0 },
  ]
  await using fixture = await startResolverFixture({
    upstreamPort: nameserver.port,
    clients: [client],
    lists: { a: 'games.example\n' },
    profiles: profiles('a'),
  })
  const { resolver, directory } = fixture
  await resolver.ready()
  const end = new AbortController()
  const asking = (async () => {
    let count = 0
    for (; !end.signal.aborted; count += 1) {
      const { isBlocked } = await fixture.ask('games.example', source)
      assert.ok(isBlocked, `the query ${count} was let through`)
    }
    return count
  })()
  const write = (name: string, value: object) => writeFile(join(directory, `${name}.json`), JSON.stringify(value))
  for (const id of ['b', 'c', 'd']) {
    const text = `games.example\n${Array.from({ length: 20_000 }, (_, n) => `${id}${n}.example`).join('\n')}`
    await writeFile(join(directory, `lists/${id}.txt`), text)
    const sha256 = createHash('sha256').update(text).digest('hex')
    await write('lists', [{ number: 4, id, name: id, format: 'domains', sha256 }])
    await write('profiles', profiles(id))
    assert.equal((await resolver.changedTogether()).names, 20_001)
    assert.ok((await fixture.ask(`${id}7.example`, source)).isBlocked)
  }
  end.abort()
  assert.ok((await asking) > 3)
})
