import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NodeState } from '../nodes/node-state.ts'
import type { PagePlace } from '../tunnel-page/page-listeners.ts'
import { NodePage } from './node-page.ts'

/** A state with these interfaces, and a page at a port where there is one. */
function stateOf(ports: Readonly<Record<string, number | null>>): NodeState {
  const interfaces = Object.entries(ports).map(([name, port], index) => {
    const page = port === null ? {} : { page: { port, addresses: [`10.8.${index}.1`, `fd0${index}::1`] } }
    return { running: true, rules: { name, ...page } }
  })
  return { interfaces } as unknown as NodeState
}

function openPage() {
  const up = new Set(['wg0', 'wg1'])
  const taken = new Set<string>()
  let listening: readonly PagePlace[] = []
  const world = { loads: 0, changes: 0, isBroken: false, again: undefined as (() => void) | undefined }
  const lines: string[] = []
  const page = new NodePage({
    log: { error: (line: unknown) => void lines.push(String(line)) },
    isUp: (name) => up.has(name),
    onChanged: () => void (world.changes += 1),
    timers: {
      after(_, work) {
        world.again = work
        return () => (world.again = undefined)
      },
    },
    async load() {
      if (world.isBroken) throw new Error('the file is broken')
      world.loads += 1
      return {
        bring: async (places) => void (listening = places),
        errorAt: (place) =>
          listening.some((one) => one.address === place.address && one.port === place.port)
            ? taken.has(place.address)
              ? 'another program uses the port'
              : null
            : undefined,
      }
    },
  })
  return { world, page, up, taken, lines, places: () => listening.map(({ address, port }) => `${address} ${port}`) }
}

test('without a page nothing is loaded', async () => {
  const { page, world } = openPage()
  await page.narrow(stateOf({ wg0: null }))
  await page.bring(stateOf({ wg0: null }))
  assert.deepEqual([world.loads, world.changes, page.errorOf('wg0')], [0, 0, undefined])
  await page.close()
})

test('it listens where the state in force has a page, and no longer before the rules of that go', async () => {
  const { page, world, places } = openPage()
  await page.bring(stateOf({ wg0: 80, wg1: null }))
  assert.deepEqual(
    [places(), page.errorOf('wg0'), page.errorOf('wg1')],
    [['10.8.0.1 80', 'fd00::1 80'], null, undefined],
  )
  await page.narrow(stateOf({ wg0: 8080, wg1: 80 }))
  assert.deepEqual(places(), [], 'a new place comes after its rule')
  await page.bring(stateOf({ wg0: 8080, wg1: 80 }))
  assert.equal(places().length, 4)
  await page.narrow(stateOf({ wg0: 8080 }))
  assert.deepEqual(places(), ['10.8.0.1 8080', 'fd00::1 8080'])
  assert.ok(world.changes >= 3 && world.loads === 1)
  await page.close()
  assert.deepEqual(places(), [])
})

test('what answers is loaded again when that failed, and meanwhile the state of the node is taken over', async () => {
  const { page, world, places, lines } = openPage()
  world.isBroken = true
  await page.bring(stateOf({ wg0: 80 }))
  assert.equal(page.errorOf('wg0'), 'the page could not be started: the file is broken')
  assert.deepEqual([lines.length, world.changes], [1, 1])
  await page.narrow(stateOf({ wg0: 80, wg1: 80 }))
  await page.bring(stateOf({ wg0: 80, wg1: 80 }))
  assert.equal(lines.length, 1, 'the same reason is named once')
  world.isBroken = false
  world.again?.()
  await page.narrow(stateOf({ wg0: 80, wg1: 80 }))
  assert.deepEqual([places().length, page.errorOf('wg0'), world.again], [4, null, undefined])
  await page.close()
})

test('a page that never started ends without a failure', async () => {
  const { page, world } = openPage()
  world.isBroken = true
  await page.bring(stateOf({ wg0: 80 }))
  await page.close()
  assert.equal(world.again, undefined, 'nothing is tried again')
})

test('an interface that does not run has no page until it does, and a taken port is tried again', async () => {
  const { page, world, places, up, taken } = openPage()
  up.delete('wg0')
  await page.bring(stateOf({ wg0: 80 }))
  assert.deepEqual([places(), page.errorOf('wg0')], [[], 'the interface does not run'])
  up.add('wg0')
  taken.add('fd00::1')
  world.again?.()
  await page.narrow(stateOf({ wg0: 80 }))
  assert.equal(page.errorOf('wg0'), 'another program uses the port')
  taken.clear()
  world.again?.()
  await page.narrow(stateOf({ wg0: 80 }))
  assert.deepEqual([page.errorOf('wg0'), world.again], [null, undefined])
})
