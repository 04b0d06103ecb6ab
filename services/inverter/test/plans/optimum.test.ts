import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allAutomatic, courseOf } from '../../src/plans/optimiser/course.ts'
import { optimise } from '../../src/plans/optimiser/optimise.ts'
import type { Site } from '../../src/plans/optimiser/site.ts'
import { solveInThread } from '../../src/plans/optimiser/solve-in-thread.ts'
import { loadSolver } from '../../src/plans/optimiser/solver.ts'
import { lowestCost } from './dynamic-programme.ts'
import { battery, seededDay } from './seeded-days.ts'
import { lowestCostOfTwo } from './two-batteries.ts'

/** Every block that saves anything, of a sun that is known. */
const exact = { minGain: 0.001, suns: [1] }

/** What a site costs without a battery: the measure of what is small. */
function turnover({ steps, feedInLimitW }: Site): number {
  return steps.reduce((sum, { hours, loadW, pvW, buy, sell }) => {
    const grid = Math.max(loadW - pvW, -(feedInLimitW ?? Infinity))
    return sum + Math.abs((grid * hours * (grid > 0 ? buy : sell)) / 1000)
  }, 0)
}

test('200 seeded days cost as little as the exact optimum, within half a percent', async () => {
  const solver = await loadSolver()
  const solve = (model: Parameters<typeof solver>[0]) => Promise.resolve(solver(model))
  for (let seed = 1; seed <= 200; seed += 1) {
    const site = seededDay(seed)
    const { course, automatic } = await optimise(site, exact, solve)
    const lowest = lowestCost(site)
    const allowed = turnover(site) * 0.005
    assert.ok(
      Math.abs(course.total - lowest) <= allowed,
      `seed ${seed}: ${course.total} instead of ${lowest} ± ${allowed}`,
    )
    assert.ok(course.total <= automatic.total + 1e-6, `seed ${seed}: the plan costs more than none`)
  }
})

/** A second battery that differs from the first in everything. */
const other = {
  ...battery,
  storedWh: 2000,
  reserveWh: 600,
  emptyWh: 600,
  fullWh: 6000,
  chargeUntilWh: 6000,
  chargeW: 2500,
  dischargeW: 3000,
  chargeEfficiency: 0.97,
  dischargeEfficiency: 0.93,
  wear: 0.02,
}

test('seeded days with two batteries cost as little as the exact optimum, within half a percent', async () => {
  const solver = await loadSolver()
  const solve = (model: Parameters<typeof solver>[0]) => Promise.resolve(solver(model))
  for (let seed = 1; seed <= 10; seed += 1) {
    const day = seededDay(seed)
    const site: Site = { ...day, batteries: [...day.batteries, { ...other, wear: (seed % 4) * 0.01 }] }
    const { course, automatic } = await optimise(site, exact, solve)
    const lowest = lowestCostOfTwo(site)
    const allowed = turnover(site) * 0.005
    // Below it only as far as its grid of contents is coarse.
    assert.ok(
      course.total <= lowest + allowed && course.total >= lowest - 2 * allowed,
      `seed ${seed}: ${course.total} instead of ${lowest} + ${allowed}`,
    )
    assert.ok(course.total <= automatic.total + 1e-6, `seed ${seed}: the plan costs more than none`)
  }
})

test('the thread of the solver comes to the same plan and ends with it', async () => {
  const solver = await loadSolver()
  const site = seededDay(3)
  const inThread = await optimise(site, exact, solveInThread)
  const here = await optimise(site, exact, (model) => Promise.resolve(solver(model)))
  assert.deepEqual(inThread.blocks, here.blocks)
})

test('two batteries share what the grid gives, and never more than it', async () => {
  const solver = await loadSolver()
  const day = seededDay(5)
  const cheap = day.steps.map((step, index) =>
    Object.assign({}, step, { pvW: 0, loadW: 500, buy: index < 16 ? 0.05 : 0.4 }),
  )
  const site: Site = {
    ...day,
    steps: cheap,
    batteries: [battery, { ...battery, fullWh: 6000, chargeUntilWh: 6000 }],
    gridLimitW: 3000,
  }
  const { blocks, course } = await optimise(site, exact, (model) => Promise.resolve(solver(model)))
  assert.deepEqual(
    new Set(blocks.filter(({ action }) => action.kind === 'charge').map((block) => block.battery)),
    new Set([0, 1]),
  )
  assert.ok(course.steps.every(({ gridW }) => gridW <= 3031))
})

test('a flat price and a feed-in price below it need no plan', async () => {
  const solver = await loadSolver()
  const day = seededDay(7)
  const site: Site = {
    ...day,
    steps: day.steps.map((step) => Object.assign({}, step, { buy: 0.3, sell: 0.08 })),
    feedInLimitW: null,
    endValue: 0.1,
  }
  const { blocks, course } = await optimise(site, exact, (model) => Promise.resolve(solver(model)))
  assert.deepEqual(blocks, [])
  assert.equal(course.total, courseOf(site, allAutomatic(site)).total)
})

test('nothing is charged and discharged at once when the grid pays for what is wasted', async () => {
  const solver = await loadSolver()
  const day = seededDay(9)
  const steps = day.steps.map((step) => Object.assign({}, step, { pvW: 0, loadW: 2000, buy: -0.2, sell: -0.2 }))
  const site: Site = { ...day, steps, endValue: 0 }
  const { course } = await optimise(site, exact, (model) => Promise.resolve(solver(model)))
  assert.ok(
    course.steps.every(({ batteryW }) => (batteryW[0] ?? 0) <= 0),
    'a battery only charges while energy costs less than nothing',
  )
})
