import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSkippingTimers } from '@hearth/runtime'
import type { Report } from '../nodes/link-schema.ts'
import { ControlRefused, type ControlLink } from './control-link.ts'
import { ReportLoop, type ReportLoopDependencies } from './report-loop.ts'
import { followState } from './state-loop.ts'
import type { WantedState } from './wanted-state.ts'

/** A link whose answers a test gives, in time that passes only in waits; the loop ends with the last answer. */
function openLink(answers: readonly (object | Error)[]) {
  const timers = createSkippingTimers()
  const end = new AbortController()
  const sent: { readonly at: number; readonly body: Record<string, unknown> }[] = []
  const lines: string[] = []
  const send = async (_: string, body: object) => {
    sent.push({ at: Math.round(timers.monotonic() / 1000), body: { ...body } })
    const answer = answers[sent.length - 1]
    if (sent.length === answers.length) end.abort()
    if (answer === undefined || answer instanceof Error) throw answer ?? new Error('nothing is left to answer')
    return answer
  }
  const note = (line: unknown) => void lines.push(String(line))
  const times = () => sent.map(({ at }) => at)
  const link = { send } as unknown as ControlLink
  return { link, timers, end, sent, lines, times, log: { info: note, warn: note, error: note } }
}

const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })

function openReports(world: ReturnType<typeof openLink>, more: Partial<ReportLoopDependencies> = {}) {
  const counted: number[] = []
  const loop: ReportLoop = new ReportLoop({
    ...world,
    wanted: { revision: 'one', statuses: () => [{ name: 'wg0', status: 'error', reason: 'x'.repeat(1000) }] },
    recorder: { toSend: () => Promise.resolve(undefined), confirm: () => Promise.resolve(false) },
    pageErrorOf: () => undefined,
    resolver: {
      status: () => ({ status: 'off', started_at: null, restarts: 0, lists: 0, blocked_names: 0, problem: null }),
    },
    networks: () => Promise.resolve([]),
    countTraffic: async () => void counted.push(Math.round(world.timers.monotonic() / 1000)),
    onAnswered: () => Promise.resolve(),
    url: 'https://vpn.example.org:8110',
    version: '0.1.0',
    ...more,
  })
  return { loop, counted }
}

test('a node reports every 30 seconds, and a second after something changed; spans stay 30 seconds long', async () => {
  const answers = Array.from({ length: 6 }, () => ({ name: 'Berlin' }))
  const world = openLink(answers)
  const { loop, counted } = openReports(world, {
    onAnswered: async () => {
      if (world.sent.length === 2) loop.wake()
    },
  })
  await loop.run(world.end.signal)
  assert.deepEqual(world.times(), [0, 30, 31, 61, 91, 121])
  assert.deepEqual(counted, [0, 30, 61, 91, 121])
  const interfaces = world.sent[0]?.body['interfaces'] as Report['interfaces']
  assert.equal(interfaces?.[0]?.reason?.length, 300, 'a reason has the length that the service takes')
  assert.deepEqual(world.lines, ['reports to https://vpn.example.org:8110 as Berlin'])
})

test('while the service is away a node tries after pauses that grow, and says so once', async () => {
  const world = openLink([...Array.from({ length: 8 }, () => refused), { name: 'Berlin' }])
  const { loop } = openReports(world)
  await loop.run(world.end.signal)
  assert.deepEqual(world.times(), [0, 1, 3, 7, 15, 31, 61, 91, 121])
  assert.equal(world.lines.length, 2)
})

test('traffic that is left goes with the next report at once; an older service confirms nothing', async () => {
  const world = openLink([{ name: 'Berlin', counted: 20 }, { name: 'Berlin', counted: 25 }, { name: 'Berlin' }])
  const confirmed: number[] = []
  const { loop } = openReports(world, {
    recorder: {
      toSend: () => Promise.resolve({ count: 'one', batches: [] }),
      confirm: async (number) => {
        confirmed.push(number)
        return number < 25
      },
    },
  })
  await loop.run(world.end.signal)
  assert.deepEqual(
    [world.times(), confirmed],
    [
      [0, 1, 31],
      [20, 25],
    ],
  )
})

/** The state as `followState` uses it. */
function fakeState(received: string | null = null) {
  const taken: string[] = []
  const state = {
    received,
    taken,
    take: async (revision: string) => {
      taken.push(revision)
      state.received = revision
    },
    retry: () => Promise.resolve(),
  }
  return state
}

test('a node asks for its next state at once, names the one that it has, and keeps to a second when nothing waits', async () => {
  const nothing = { revision: 'two', state: null }
  const world = openLink([{ revision: 'one', state: {} }, { revision: 'two', state: {} }, nothing, nothing, nothing])
  const wanted = fakeState()
  let received = 0
  const onReceived = () => void (received += 1)
  await followState({ ...world, wanted: wanted as unknown as WantedState, onReceived }, world.end.signal)
  assert.deepEqual(world.times(), [0, 0, 0, 1, 2])
  assert.deepEqual(
    world.sent.map(({ body }) => body['revision']),
    [null, 'one', 'two', 'two', 'two'],
  )
  assert.deepEqual([wanted.taken, received], [['one', 'two'], 2])
})

test('a state that comes into force later, while the service is away, is reported like one that it sent', async () => {
  const world = openLink([refused, refused, refused, refused])
  const wanted = Object.assign(fakeState('one'), {
    revision: null as string | null,
    async retry() {
      if (world.sent.length === 2) wanted.revision = 'one'
    },
  })
  const told: number[] = []
  const onReceived = () => void told.push(world.sent.length)
  await followState({ ...world, wanted: wanted as unknown as WantedState, onReceived }, world.end.signal)
  assert.deepEqual(told, [2])
})

test('a service that sends no states, or refuses, is asked after pauses that grow', async () => {
  const unknown = new ControlRefused(404, 'This version of the service does not know this request of a node')
  const world = openLink([unknown, unknown, refused, unknown, { revision: 'one', state: {} }])
  const wanted = fakeState()
  await followState(
    { ...world, wanted: wanted as unknown as WantedState, onReceived: () => undefined },
    world.end.signal,
  )
  assert.deepEqual(world.times(), [0, 1, 3, 7, 15])
  assert.deepEqual(wanted.taken, ['one'])
  assert.equal(world.lines.filter((line) => line.startsWith('the service sends no state')).length, 2)
})

test('networks of the host are reported at the start and when they change, without those of its interfaces', async () => {
  const world = openLink([refused, ...Array.from({ length: 4 }, () => ({ name: 'Berlin' }))])
  const lan = { network: '192.168.1.4/24', device: 'eth0' }
  const office = { network: '10.9.0.0/16', device: 'eth1' }
  const found = [[lan], [lan], [lan, { network: '10.8.0.1/24', device: 'wg0' }], [lan, office], [lan, office]]
  const { loop } = openReports(world, { networks: () => Promise.resolve(found[world.sent.length] ?? []) })
  await loop.run(world.end.signal)
  assert.deepEqual(
    world.sent.map(({ body }) => body['networks']),
    [[lan], [lan], undefined, [lan, office], undefined],
  )
})

test('networks are reported again after a failure, and with every tenth report', async () => {
  const answered = Array.from({ length: 12 }, () => ({ name: 'Berlin' }))
  const world = openLink([...answered, refused, { name: 'Berlin' }, { name: 'Berlin' }])
  const lan = { network: '192.168.1.4/24', device: 'eth0' }
  const { loop } = openReports(world, { networks: () => Promise.resolve([lan]) })
  await loop.run(world.end.signal)
  const told = world.sent.flatMap(({ body }, index) => (body['networks'] === undefined ? [] : [index]))
  assert.deepEqual(told, [0, 10, 13])
})
