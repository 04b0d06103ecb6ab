import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { createFastTimers } from '@hearth/runtime'
import { temporaryDirectory } from '@hearth/testing'
import { startSimulator, type Simulator } from '../src/simulator/simulator.ts'
import { evening, ownSettings, registersOf, startWithBattery } from './battery.ts'
import { catalog } from './in-process.ts'
import type { GatewayConfig } from './killed-gateways.ts'

const program = join(import.meta.dirname, 'killed-gateways.ts')
const speed = 20
/** Maximum life of a process, milliseconds; one that hangs ends the test and not the machine. */
const maxLifeMs = 240_000

/** Scenario of a gateway. */
type Task = Omit<GatewayConfig, 'folder'>

/** Outcome of one run of the gateway: whether it reached its crash point, and what it persisted. */
interface Outcome {
  readonly isFrozen: boolean
  readonly announced: readonly boolean[]
}

/** An inverter and a data directory that successive gateway runs share. */
class Installation implements AsyncDisposable {
  readonly folder: string
  readonly inverter: Simulator
  readonly #remove: () => Promise<void>
  /** The last life. */
  last: Task | undefined

  constructor(folder: Awaited<ReturnType<typeof temporaryDirectory>>, inverter: Simulator) {
    this.folder = folder.path
    this.inverter = inverter
    this.#remove = async () => folder[Symbol.asyncDispose]()
  }

  setGrid(watts: number): void {
    this.inverter.setFaults({ values: { grid_power: watts, battery_power: 0 } })
  }

  /** After a kill the next run must have restored everything, unless it was killed while restoring. */
  check(task: Task): void {
    if (task.life === 'recover') return
    const what = this.last === undefined ? 'at first' : `after ${JSON.stringify(this.last)}`
    assert.deepEqual(registersOf(this.inverter), ownSettings, what)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.inverter.close()
    await this.#remove()
  }
}

/** Installations whose gateways share a process and are killed together. */
class InstallationGroup implements AsyncDisposable {
  readonly #timers = createFastTimers(speed, evening)
  readonly #installations: Installation[] = []
  readonly #cache: string

  constructor(cache: string) {
    this.#cache = cache
  }

  async build(count: number): Promise<void> {
    const timers = this.#timers
    for (let number = 0; number < count; number += 1) {
      const inverter = await startSimulator({ port: 0, timers, catalog, seed: 1 })
      const installation = new Installation(await temporaryDirectory('crash'), inverter)
      this.#installations.push(installation)
      const gateway = await startWithBattery({
        folder: installation.folder,
        inverter,
        timers,
        // Sixty registrations at every start would be most of the work.
        device: { periodic_reads: false },
      })
      await gateway.stop()
    }
  }

  /** Runs one task in each installation. */
  async run(tasks: readonly Task[]): Promise<Outcome[]> {
    const used = this.#installations.slice(0, tasks.length)
    for (const installation of used) installation.setGrid(1000)
    const configs = used.map(({ folder }, index) => ({ folder, ...tasks[index] }))
    const args = [program, String(speed), String(this.#timers.now()), JSON.stringify(configs)]
    const environment = { PATH: process.env['PATH'], NODE_COMPILE_CACHE: this.#cache }
    const child = spawn(process.execPath, args, { env: environment, stdio: ['pipe', 'pipe', 'pipe'] })
    child.stdin.on('error', () => undefined)
    const errors: string[] = []
    let heard = 'nothing'
    const limit = setTimeout(() => {
      errors.push(`the process with ${JSON.stringify(tasks)} did not end; it said last: ${heard}`)
      child.kill('SIGKILL')
    }, maxLifeMs)
    let outcomes: Outcome[] | undefined
    createInterface({ input: child.stderr }).on('line', (line) => errors.push(line))
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [word, ...rest] = line.split(' ')
      heard = line
      if (word === 'grid') used[Number(rest[0])]?.setGrid(Number(rest[1]))
      if (word === 'done') outcomes = JSON.parse(rest.join(' ')) as Outcome[]
      if (word !== 'recovered') return
      try {
        for (const [index, installation] of used.entries()) installation.check(tasks[index] as Task)
      } catch (error) {
        errors.push(String(error))
        child.kill('SIGKILL')
      }
      child.stdin.write('go on\n')
    })
    const [, signal] = (await once(child, 'close')) as [number | null, string | null]
    clearTimeout(limit)
    assert.ok(signal === 'SIGKILL' && outcomes !== undefined, errors.join('\n'))
    for (const [index, installation] of used.entries()) installation.last = tasks[index]
    return outcomes
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const installation of this.#installations) await installation[Symbol.asyncDispose]()
  }
}

/**
 * The points of a life: before everything it persists, and after every announcement of a write. After anything else that is
 * persisted, nothing happens until the next time.
 */
function pointsOf(life: Task['life'], { announced }: Outcome): Task[] {
  return announced.flatMap((isAnnouncement, index) => {
    const before: Task = { life, nth: index + 1, when: 'before' }
    return isAnnouncement ? [before, { ...before, when: 'after' }] : [before]
  })
}

/** A point that was not reached, as far from the end of a life that had other steps: a plan of another moment needs other writes. */
const sameFromTheEnd = (task: Task, whole: Outcome, steps: number): Task => ({
  ...task,
  nth: Math.max(1, task.nth - whole.announced.length + steps),
})

const unharmed = (life: Task['life']): Task => ({ life, nth: 0, when: 'before' })

test('40 after kill -9 at any point of an operation the next start restores the inverter’s settings and resumes nothing', async (t) => {
  await using cache = await temporaryDirectory('cache')
  const perGroup = 5
  await using first = new InstallationGroup(cache.path)
  await using second = new InstallationGroup(cache.path)
  const groups = [first, second]
  for (const group of groups) await group.build(perGroup)
  const [whole] = await first.run([unharmed('everything')])
  const [recovery] = await second.run([unharmed('leave')]).then(() => second.run([unharmed('recover')]))
  const [plan] = await first.run([unharmed('plan')])
  const plans = pointsOf('plan', plan as Outcome)
  const lives = [...pointsOf('everything', whole as Outcome), ...plans]
  const recoveries = pointsOf('recover', recovery as Outcome)
  let deaths = 0
  let planDeaths = 0
  const missed: Task[] = []
  const count = (outcomes: readonly Outcome[], tasks: readonly Task[]) => {
    for (const [index, { isFrozen, announced }] of outcomes.entries()) {
      const task = tasks[index] as Task
      if (!isFrozen && task.life === 'plan') missed.push(sameFromTheEnd(task, plan as Outcome, announced.length))
      else if (isFrozen && task.life === 'plan') planDeaths += 1
      else if (isFrozen) deaths += 1
    }
  }
  const rounds: ((group: InstallationGroup) => Promise<void>)[] = []
  const inRounds = (
    tasks: readonly Task[],
    round: (some: readonly Task[], group: InstallationGroup) => Promise<void>,
  ) => {
    for (let from = 0; from < tasks.length; from += perGroup)
      rounds.push((group) => round(tasks.slice(from, from + perGroup), group))
  }
  const inBothGroups = () =>
    Promise.all(
      groups.map(async (group) => {
        for (let round = rounds.shift(); round !== undefined; round = rounds.shift()) await round(group)
      }),
    )
  const dyingAt = (tasks: readonly Task[]) => inRounds(tasks, async (some, group) => count(await group.run(some), some))
  dyingAt(lives)
  inRounds(recoveries, async (some, group) => {
    await group.run(some.map(() => unharmed('leave')))
    count(await group.run(some), some)
  })
  await inBothGroups()
  for (let attempt = 1; attempt <= 3 && missed.length > 0; attempt += 1) {
    dyingAt(missed.splice(0))
    await inBothGroups()
  }
  // A last run checks what the previous ones left behind.
  await Promise.all(groups.map((group) => group.run(Array.from({ length: perGroup }, () => unharmed('charge')))))
  const points = lives.length - plans.length + recoveries.length
  t.diagnostic(`${deaths} deaths at ${points} points, ${recoveries.length} of them of recoveries`)
  t.diagnostic(`${planDeaths} deaths at ${plans.length} points of a plan`)
  assert.ok(points > 60, String(points))
  // The control loop may write once less than in the counted run.
  assert.ok(deaths >= points * 0.9, `${deaths} of ${points}`)
  assert.ok(plans.length > 20 && planDeaths >= plans.length * 0.9, `${planDeaths} of ${plans.length} of a plan`)
})
