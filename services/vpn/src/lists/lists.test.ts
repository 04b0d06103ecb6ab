import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createFastTimers } from '@hearth/runtime'
import { eventually, postgresObstacle, startPostgres } from '@hearth/testing'
import { type ListWorld, openListWorld, type WorldOptions } from '../../test/list-world.ts'
import { Problem } from '../problems.ts'
import { defaultLists } from './default-lists.data.ts'
import { dueAt } from './updates.ts'

const all = { limit: 100, offset: 0 }

async function listOf({ lists }: ListWorld, id: string) {
  const { rows } = await lists.list(all, true)
  const list = rows.find((row) => row.id === id)
  assert(list !== undefined, 'the list exists')
  return list
}

/** A world in which the default lists are gone. */
async function emptyWorld(options: WorldOptions = {}): Promise<ListWorld> {
  const world = await openListWorld(options)
  const { rows } = await world.lists.list(all, true)
  for (const { id } of rows) await world.lists.remove(id)
  return world
}

const add = (world: ListWorld, path: string, more: object = {}) =>
  world.lists.create({ name: path.slice(1), url: world.url(path), format: 'auto', enabled: true, ...more })

const done = (world: ListWorld) =>
  eventually(
    () => world.progress.at(-1),
    (report) => report?.status === 'done',
    { what: 'the end of the update' },
  )

const problem = (kind: string) => (error: unknown) => error instanceof Problem && error.kind === kind

test('a new install knows lists, one of them is on, and nothing is fetched before somebody starts an update', async () => {
  const timers = createFastTimers(1_000_000)
  await using world = await openListWorld({ timers, allow: '192.0.2.1' })
  const { rows, total } = await world.lists.list(all, true)
  assert.equal(total, defaultLists.length)
  assert.deepEqual(
    rows.filter((row) => row.enabled).map(({ name, entries, last_checked }) => [name, entries, last_checked]),
    [['HaGeZi Normal', 0, null]],
  )
  assert(rows.every(({ url }) => url.startsWith('https://')))
  // Weeks pass.
  const begin = timers.now()
  await eventually(
    () => timers.now() - begin,
    (passed) => passed > 21 * 86_400_000,
  )
  assert.deepEqual([world.progress, world.published, world.asked], [[], [], []])
  await world.lists.remove(rows[0]!.id)
  await world.reopen()
  assert.equal((await world.lists.list(all, true)).total, defaultLists.length - 1, 'what was deleted stays away')
})

test('an added list is fetched, stored and in force', async () => {
  await using world = await emptyWorld()
  world.answers.set('/ads', '! Expires: 2 hours\n||ads.example^\n||d.example^$third-party\n##.banner\n')
  const made = await add(world, '/ads')
  assert.deepEqual([made.entries, made.last_checked, made.enabled], [0, null, true])
  const report = await done(world)
  assert.deepEqual(
    report?.lists.map(({ id, status, entries, added, removed, error }) => [id, status, entries, added, removed, error]),
    [[made.id, 'updated', 1, 1, 0, null]],
  )
  const list = await listOf(world, made.id)
  assert.deepEqual([list.entries, list.unsupported, list.last_error], [1, 2, null])
  assert.deepEqual(list.unsupported_reasons, { cosmetic: 1, 'modifier third-party': 1 })
  assert.deepEqual(list.unsupported_examples, [
    { line: 3, text: '||d.example^$third-party', reason: 'modifier third-party' },
    { line: 4, text: '##.banner', reason: 'cosmetic' },
  ])
  assert(list.last_updated !== null && list.last_checked === list.last_updated)
  assert.equal(world.blocks('x.ads.example').length, 1)
  const path = join(world.folder, 'lists', `${made.id}.txt`)
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  assert.match(await readFile(path, 'utf8'), /^! Expires/)
  assert.deepEqual(await readdir(join(world.folder, 'lists')), [`${made.id}.txt`], 'no draft is left')
})

test('an update reports added and removed names, and an unchanged list is not parsed again', async () => {
  await using world = await emptyWorld()
  let text = 'a.example\nb.example\nc.example\n'
  let tag = '"1"'
  world.answers.set('/one', (request, response) => {
    if (request.headers['if-none-match'] === tag) response.writeHead(304).end()
    else response.writeHead(200, { 'content-type': 'text/plain', etag: tag }).end(text)
  })
  const { id } = await add(world, '/one')
  await done(world)
  const outcome = async () => {
    const { status, lists } = await world.lists.startUpdate()
    assert.equal(status, 'done')
    return lists.map((one) => [one.status, one.entries, one.added, one.removed, one.error])
  }
  const publications = world.published.length
  assert.deepEqual(await outcome(), [['unchanged', 3, 0, 0, null]])
  tag = '"2"'
  assert.deepEqual(await outcome(), [['unchanged', 3, 0, 0, null]], 'sent again, and the same')
  assert.equal(world.published.length, publications, 'nothing to put in force')
  ;[text, tag] = ['b.example\nc.example\nd.example\ne.example\n', '"3"']
  assert.deepEqual(await outcome(), [['updated', 4, 2, 1, null]])
  assert.deepEqual([world.blocks('a.example').length, world.blocks('x.e.example').length], [0, 1])
  assert.equal((await listOf(world, id)).entries, 4)
})

test('after any bad response the old list stays in force and the record says why', async () => {
  await using world = await emptyWorld()
  world.answers.set('/one', 'old.example\n')
  const { id } = await add(world, '/one')
  await done(world)
  const before = await listOf(world, id)
  const bad: [string, Parameters<typeof world.answers.set>[1], RegExp][] = [
    ['gone', (_, response) => void response.writeHead(404).end(), /status 404/],
    [
      'a page',
      (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
      /text\/html/,
    ],
    ['a page as text', '<!doctype html><title>Sign in</title>', /web page/],
    ['nothing', '', /holds no names/],
    ['comments', '# all gone\n\n', /holds no names/],
    ['prose', 'This list has moved to another place.\n', /holds no names/],
    [
      'a redirect inwards',
      (_, response) => void response.writeHead(302, { location: 'http://10.0.0.1/' }).end(),
      /public address/,
    ],
    ['hangs up', (_, response) => void response.destroy(), /cannot be reached/],
  ]
  for (const [what, answer, message] of bad) {
    world.answers.set('/one', answer)
    const { lists } = await world.lists.startUpdate()
    assert.equal(lists[0]?.status, 'failed', what)
    assert.match(lists[0]?.error ?? '', message, what)
    const list = await listOf(world, id)
    assert.match(list.last_error ?? '', message, what)
    assert.deepEqual([list.entries, list.last_updated], [1, before.last_updated], what)
    assert.equal(world.blocks('old.example').length, 1, what)
    assert.equal(await readFile(join(world.folder, 'lists', `${id}.txt`), 'utf8'), 'old.example\n', what)
  }
  world.answers.set('/one', 'new.example\n')
  assert.equal((await world.lists.startUpdate()).lists[0]?.status, 'updated')
  assert.equal((await listOf(world, id)).last_error, null)
  assert.equal(world.blocks('new.example').length, 1)
})

test('a list in the private network is not fetched unless the operator allows it', async () => {
  await using world = await emptyWorld({ allow: '192.0.2.1' })
  world.answers.set('/one', 'a.example\n')
  const { id } = await add(world, '/one')
  const report = await done(world)
  assert.equal(report?.lists[0]?.status, 'failed')
  assert.match((await listOf(world, id)).last_error ?? '', /^lists\.test does not lead to a public address/)
  assert.deepEqual(world.asked, [])
})

test('a request while an update runs joins it', async () => {
  await using world = await emptyWorld()
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  world.answers.set(
    '/slow',
    (_, response) =>
      void held.then(() => response.writeHead(200, { 'content-type': 'text/plain' }).end('slow.example\n')),
  )
  world.answers.set('/quick', 'quick.example\n')
  const slow = await add(world, '/slow')
  await eventually(
    () => world.asked.length,
    (count) => count === 1,
  )
  const quick = await add(world, '/quick')
  const report = await world.lists.startUpdate()
  assert.equal(report.status, 'running')
  assert.deepEqual(new Map(report.lists.map((one) => [one.id, one.status])).get(quick.id), 'updated')
  release()
  const ended = await done(world)
  assert.equal(ended?.started_at, report.started_at, 'one run')
  assert.deepEqual(
    ended?.lists.map((one) => one.status),
    ['updated', 'updated'],
  )
  assert.deepEqual(world.asked, ['/slow', '/quick'], 'each once')
  assert.equal(world.blocks('slow.example').length, 1)
  assert.equal((await listOf(world, slow.id)).entries, 1)
})

test('changes are in force when the response arrives', async () => {
  await using world = await emptyWorld()
  world.answers.set('/one', 'a.example\n*.b.example\n')
  world.answers.set('/two', '0.0.0.0 moved.example\n')
  const { id } = await add(world, '/one')
  await done(world)
  assert.equal((await world.lists.update(id, { enabled: false })).enabled, false)
  assert.deepEqual(world.blocks('a.example'), [])
  await world.lists.update(id, { enabled: true, name: 'Other' })
  assert.equal(world.blocks('x.a.example').length, 1)
  assert.equal(world.published.at(-1)?.[0]?.name, 'Other')
  assert.equal((await world.lists.update(id, { format: 'adblock' })).format, 'adblock')
  assert.deepEqual(world.blocks('x.a.example'), [], 'a bare name is exact in that format')
  await done(world)
  await world.lists.update(id, { url: world.url('/two') })
  assert.equal(world.blocks('a.example').length, 1, 'until the other text is there')
  await eventually(
    () => world.blocks('moved.example').length,
    (count) => count === 1,
  )
  assert.deepEqual(world.blocks('a.example'), [])
  await eventually(
    () => world.progress.at(-1)?.status,
    (status) => status === 'done',
  )
  await world.lists.remove(id)
  assert.deepEqual(world.blocks('moved.example'), [])
  assert.deepEqual(await readdir(join(world.folder, 'lists')), [])
  await assert.rejects(world.lists.remove(id), problem('not-found'))
  await assert.rejects(world.lists.update(id, { name: 'x' }), problem('not-found'))
})

test('a list deleted while it is fetched does not return', async () => {
  await using world = await emptyWorld()
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  world.answers.set(
    '/slow',
    (_, response) =>
      void held.then(() => response.writeHead(200, { 'content-type': 'text/plain' }).end('slow.example\n')),
  )
  const { id } = await add(world, '/slow')
  await eventually(
    () => world.asked.length,
    (count) => count === 1,
  )
  await world.lists.remove(id)
  release()
  const report = await done(world)
  assert.equal(report?.lists[0]?.status, 'failed')
  assert.deepEqual(await readdir(join(world.folder, 'lists')), [])
  assert.deepEqual(world.blocks('slow.example'), [])
})

test('names and URLs are unique, and there are at most 32 lists, each with its own number', async () => {
  await using world = await emptyWorld()
  const off = { enabled: false }
  await add(world, '/Straße', off)
  await assert.rejects(add(world, '/other', { name: 'STRAßE', ...off }), problem('conflict'))
  await assert.rejects(add(world, '/Straße', { name: 'other', ...off }), problem('conflict'))
  const made = await Promise.allSettled(Array.from({ length: 40 }, (_, k) => add(world, `/list-${k}`, off)))
  assert.equal(made.filter(({ status }) => status === 'fulfilled').length, 31)
  for (const one of made) if (one.status === 'rejected') assert(problem('conflict')(one.reason), String(one.reason))
  const { rows } = await world.lists.list(all, true)
  await assert.rejects(world.lists.update(rows[3]!.id, { name: rows[4]!.name }), problem('conflict'))
  await assert.rejects(world.lists.update(rows[3]!.id, { url: rows[4]!.url }), problem('conflict'))
  await world.lists.remove(rows[9]!.id)
  world.answers.set('/again', 'again.example\n')
  await add(world, '/again')
  await done(world)
  assert.equal(world.blocks('again.example').length, 1)
})

test('without a resolver everything else works', async () => {
  await using world = await emptyWorld({ publish: () => Promise.reject(new Error('the resolver is away')) })
  world.answers.set('/one', 'a.example\n')
  const { id } = await add(world, '/one')
  assert.equal((await done(world))?.lists[0]?.status, 'updated')
  assert.equal((await listOf(world, id)).entries, 1)
  assert.equal((await world.lists.update(id, { name: 'Renamed' })).name, 'Renamed')
  assert.deepEqual(
    (await world.lists.resolverLists()).map(({ id: one, name }) => [one, name]),
    [[id, 'Renamed']],
  )
})

test('a lost list file is fetched again despite a 304', async () => {
  await using world = await emptyWorld()
  world.answers.set('/one', (request, response) => {
    if (request.headers['if-none-match'] === undefined)
      response.writeHead(200, { 'content-type': 'text/plain', etag: '"1"' }).end('a.example\n')
    else response.writeHead(304).end()
  })
  const { id } = await add(world, '/one')
  await done(world)
  await rm(join(world.folder, 'lists', `${id}.txt`))
  assert.equal((await world.lists.startUpdate()).lists[0]?.status, 'updated')
  assert(existsSync(join(world.folder, 'lists', `${id}.txt`)))
})

test('a start removes leftovers of a crash and fetches lists missing after a restore', async () => {
  await using world = await emptyWorld()
  world.answers.set('/one', 'a.example\n')
  world.answers.set('/two', 'b.example\n')
  const one = await add(world, '/one')
  const two = await add(world, '/two')
  await eventually(
    () => world.blocks('b.example').length,
    (count) => count === 1,
  )
  await done(world)
  const folder = join(world.folder, 'lists')
  for (const file of [`${one.id}-new.txt`, `${one.id}.txt.abc.tmp`, 'stranger.txt'])
    await writeFile(join(folder, file), 'x.example\n')
  await rm(join(folder, `${two.id}.txt`))
  await world.reopen()
  await eventually(
    () => world.asked.filter((path) => path === '/two').length,
    (count) => count === 2,
  )
  await done(world)
  assert.deepEqual((await readdir(folder)).sort(), [`${one.id}.txt`, `${two.id}.txt`].sort())
  assert.deepEqual(world.asked.filter((path) => path === '/one').length, 1)
})

test('lists are fetched by the schedule once somebody fetched them, and sooner when they say so', async () => {
  const timers = createFastTimers(36_000)
  await using world = await emptyWorld({ timers, schedule: () => ({ hours: 24, isChosen: false }) })
  world.answers.set('/daily', 'daily.example\n')
  world.answers.set('/hourly', '! Expires: 1 minutes\n||hourly.example^\n')
  await add(world, '/daily')
  await add(world, '/hourly')
  const count = (path: string) => world.asked.filter((one) => one === path).length
  await eventually(
    () => count('/daily'),
    (times) => times >= 2,
    { seconds: 20 },
  )
  assert(count('/hourly') >= 4, `${count('/hourly')} times within a day`)
})

test('due times follow the schedule, expiry and errors of a list', () => {
  const hour = 3_600_000
  const list = { id: 'x', enabled: 1, last_checked: 1_000_000_000, last_error: null, expires_seconds: null }
  const now = list.last_checked
  const daily = { hours: 24, isChosen: false }
  const pause = (changes: object, schedule = daily) =>
    (dueAt({ ...list, ...changes }, schedule, now) ?? Infinity) - list.last_checked
  const near = (changes: object, hours: number, schedule = daily) => {
    const found = pause(changes, schedule)
    assert(found >= 0.9 * hours * hour && found <= 1.1 * hours * hour, `${found / hour} hours, not ${hours}`)
  }
  near({}, 24)
  near({ expires_seconds: 4 * 3600 }, 4)
  near({ expires_seconds: 60 }, 1)
  near({ expires_seconds: 0 }, 1)
  near({ expires_seconds: 96 * 3600 }, 24)
  near({ last_error: 'away' }, 1)
  near({}, 168, { hours: 168, isChosen: true })
  assert.equal(dueAt({ ...list, enabled: 0 }, daily, now), undefined)
  assert.equal(dueAt(list, { hours: 0, isChosen: true }, now), undefined)
  assert.equal(dueAt({ ...list, last_checked: null }, daily, now), undefined)
  assert.equal(dueAt({ ...list, last_checked: null }, { hours: 24, isChosen: true }, now), 0)
  const ahead = { ...list, last_checked: now + 365 * 24 * hour }
  assert.equal(dueAt(ahead, daily, now), now, 'checked by a clock that was ahead')
  assert.equal(dueAt({ ...ahead, last_error: 'away' }, daily, now), now)
  const pauses = new Set(Array.from({ length: 100 }, (_, k) => pause({ id: `${k}` })))
  assert(pauses.size > 95, 'installs and lists differ')
})

test('the same on PostgreSQL', { skip: postgresObstacle() }, async () => {
  await using server = await startPostgres()
  await using world = await openListWorld({ location: { url: await server.createDatabase() } })
  assert.equal((await world.lists.list(all, true)).total, defaultLists.length)
  await world.reopen()
  const { rows } = await world.lists.list(all, true)
  assert.equal(rows.length, defaultLists.length)
  for (const { id } of rows) await world.lists.remove(id)
  world.answers.set('/one', 'a.example\n')
  const { id } = await add(world, '/one')
  await done(world)
  assert.equal((await listOf(world, id)).entries, 1)
  await assert.rejects(add(world, '/one', { name: 'two' }), problem('conflict'))
  await assert.rejects(add(world, '/two', { name: 'ONE' }), problem('conflict'))
})
