import { batteryModel } from './battery-model.ts'
import { allAutomatic, automatic, courseOf, powerOf, storedAfter, type Actions, type Course } from './course.ts'
import { netLoad, type Action, type Battery, type Site } from './site.ts'
import type { Solve } from './solver.ts'

/** Most steps between two blocks that may become one. */
const gap = 4

/** Share of a plan's saving that may be lost for fewer blocks. */
const maxShare = 0.03

/** Powers that differ by less count as the same, watts. */
const sameW = 30

/** Steps of one action that a plan names together; the steps from `from` up to `until`. */
export interface Block {
  readonly battery: number
  readonly from: number
  readonly until: number
  readonly action: Action
  /** Money that it saves: what the plan would cost more without it. */
  readonly gain: number
  readonly isWanted: boolean
}

/** The best plan for a site. */
export interface Optimum {
  readonly actions: Actions
  /** Blocks that are not automatic, in the order of time. */
  readonly blocks: readonly Block[]
  readonly course: Course
  /** What happens without a plan. */
  readonly automatic: Course
}

/** When a block is worth it. */
export interface Worth {
  /** Money that a block must save. */
  readonly minGain: number
  /** What the sun may give, as multiples of what is expected: a block must save its money in the mean of these. */
  readonly suns: readonly number[]
}

/** Finds the plan with the lowest cost. Blocks that are not worth it are left out. */
export async function optimise(site: Site, worth: Worth, solve: Solve): Promise<Optimum> {
  const powers = await optimalPowers(site, solve)
  const blocks = simplify(site, joinNeighbours(site, blocksOf(site, powers), worth.minGain / 4), worth)
  const actions = actionsOf(site, blocks)
  return { actions, blocks, course: courseOf(site, actions), automatic: courseOf(site, allAutomatic(site)) }
}

/** Returns the optimal power of each battery in each step, watts; discharge is positive. */
export async function optimalPowers(site: Site, solve: Solve): Promise<number[][]> {
  const { model, charge, discharge } = batteryModel(site)
  const values = await solve(model)
  const flow = (columns: readonly number[] | undefined, index: number) => values[columns?.[index] ?? -1] ?? 0
  return site.batteries.map((_, number) =>
    site.steps.map((_step, index) => (flow(discharge[number], index) - flow(charge[number], index)) * 1000),
  )
}

function blocksOf(site: Site, powers: readonly (readonly number[])[]): Block[] {
  return site.batteries.flatMap((_battery, number) => {
    const actions = actionsFor(site, number, powers)
    const blocks: Block[] = []
    for (const [index, action] of actions.entries()) {
      const isWanted = site.steps[index]?.wanted?.[number] !== undefined
      const last = blocks.at(-1)
      // Compared with the first step of the block, so that small differences do not add up.
      const first = last === undefined ? undefined : actions[last.from]
      const isNext = last !== undefined && first !== undefined && last.until === index && last.isWanted === isWanted
      if (isNext && isSame(first, action, site))
        blocks[blocks.length - 1] = { ...last, until: index + 1, action: joined(last.action, action) }
      else if (action.kind !== 'automatic' || isWanted)
        blocks.push({ battery: number, from: index, until: index + 1, action, gain: 0, isWanted })
    }
    return blocks
  })
}

/** Returns the action of each step that carries out the powers of a battery, which is told by its number. */
function actionsFor(site: Site, number: number, powers: readonly (readonly number[])[]): Action[] {
  const battery = site.batteries[number]
  if (battery === undefined) return []
  let { storedWh } = battery
  return site.steps.map((step, index) => {
    const watts = powers[number]?.[index] ?? 0
    const sumOf = (isCounted: (other: number) => boolean) =>
      powers.reduce((sum, each, other) => sum + (isCounted(other) ? (each[index] ?? 0) : 0), 0)
    // By itself it takes or gives what those before it leave, and what others charge beyond the surplus of the sun.
    const charged = powers.reduce((sum, each) => sum + Math.max(0, -(each[index] ?? 0)), 0)
    const isBought = charged > Math.max(0, -netLoad(step)) + sameW
    const goesFirst = (other: number) => other < number || (isBought && (powers[other]?.[index] ?? 0) < 0)
    const netW = netLoad(step) - sumOf((other) => other !== number && goesFirst(other))
    const byItself = powerOf(automatic, battery, { storedWh, hours: step.hours, netW })
    const wanted = step.wanted?.[number]
    storedWh = storedAfter(battery, { storedWh, watts, hours: step.hours })
    return wanted === undefined
      ? actionOf(watts, byItself, Math.min(storedWh, battery.chargeUntilWh))
      : wantedAction(
          wanted,
          battery,
          (site.gridLimitW ?? Infinity) - netLoad(step) + sumOf((other) => other !== number),
        )
  })
}

function actionOf(watts: number, byItself: number, storedWh: number): Action {
  if (Math.abs(watts - byItself) < sameW) return automatic
  if (Math.abs(watts) < sameW) return { kind: 'hold' }
  if (watts > 0) return { kind: 'discharge', watts: Math.round(watts) }
  return { kind: 'charge', watts: Math.round(-watts), untilWh: storedWh }
}

/** What a person set, with the power that the grid connection has left for it; nothing flows where the house takes it all. */
function wantedAction(kind: Action['kind'], battery: Battery, leftW: number): Action {
  if (kind === 'discharge') return { kind, watts: battery.dischargeW }
  if (kind !== 'charge') return { kind }
  const watts = Math.round(Math.min(battery.chargeW, leftW))
  return watts < sameW ? { kind: 'hold' } : { kind, watts, untilWh: battery.chargeUntilWh }
}

/** Two actions that one block can have: powers within a tenth, or the same where the grid allows no more. */
function isSame(a: Action, b: Action, { gridLimitW }: Site): boolean {
  if (a.kind !== b.kind) return false
  const [wattsA, wattsB] = [wattsOf(a), wattsOf(b)]
  return Math.abs(wattsA - wattsB) <= (gridLimitW === null ? Math.max(wattsA, wattsB) / 10 : sameW)
}

const wattsOf = (action: Action): number => ('watts' in action ? action.watts : 0)

function joined(a: Action, b: Action): Action {
  if (a.kind === 'charge' && b.kind === 'charge')
    return { kind: 'charge', watts: Math.max(a.watts, b.watts), untilWh: Math.max(a.untilWh, b.untilWh) }
  return wattsOf(a) >= wattsOf(b) ? a : b
}

/** Makes one block of neighbours that do the same at other powers, where that costs no more than `maxLoss`. */
function joinNeighbours(site: Site, all: readonly Block[], maxLoss: number): Block[] {
  const costOf = (blocks: readonly Block[]) => {
    const course = courseOf(site, actionsOf(site, blocks))
    const isAbove = course.steps.some(({ gridW }, index) => gridW > mostFromGrid(site, index) + sameW)
    return isAbove ? Infinity : course.total
  }
  let blocks = [...all]
  for (let index = 0; index + 1 < blocks.length;) {
    const [block, next] = [blocks[index], blocks[index + 1]]
    if (block === undefined || next === undefined || !areNeighbours(block, next)) {
      index += 1
      continue
    }
    const one: Block = { ...block, until: next.until, action: joined(block.action, next.action) }
    const candidate = blocks.toSpliced(index, 2, one)
    if (costOf(candidate) <= costOf(blocks) + maxLoss) blocks = candidate
    else index += 1
  }
  return blocks
}

/** Largest power from the grid in a step, watts; a house may take more than the limit by itself. */
const mostFromGrid = ({ gridLimitW, steps }: Site, index: number): number =>
  gridLimitW === null ? Infinity : Math.max(gridLimitW, steps[index]?.loadW ?? 0)

const areNeighbours = (a: Block, b: Block): boolean =>
  a.battery === b.battery && b.from - a.until <= gap && a.action.kind === b.action.kind && !a.isWanted && !b.isWanted

/** Leaves out blocks that save too little, the least useful first, and says of the others what they save. */
function simplify(site: Site, all: readonly Block[], { minGain, suns }: Worth): Block[] {
  const sites = suns.map((factor) => underSun(site, factor))
  const meanTotal = (actions: Actions) =>
    sites.reduce((sum, each) => sum + courseOf(each, actions).total, 0) / sites.length
  const best = meanTotal(actionsOf(site, all))
  const saving = meanTotal(allAutomatic(site)) - best
  const allowed = saving < minGain ? Infinity : saving * maxShare
  let blocks = [...all]
  for (;;) {
    const actions = actionsOf(site, blocks)
    const [total, below] = [meanTotal(actions), belowReserve(site, courseOf(site, actions))]
    const judged = blocks.map((block) => {
      const without = actionsOf(
        site,
        blocks.filter((other) => other !== block),
      )
      const keepsReserve = belowReserve(site, courseOf(site, without)) > below + 1
      return { block: Object.assign({}, block, { gain: meanTotal(without) - total }), keepsReserve }
    })
    const [worst] = judged
      .filter(({ block, keepsReserve }) => !block.isWanted && !keepsReserve)
      .toSorted((a, b) => a.block.gain - b.block.gain)
    const isEnough = worst === undefined || worst.block.gain >= minGain || total + worst.block.gain - best > allowed
    if (isEnough) return judged.map(({ block }) => block).toSorted((a, b) => a.from - b.from)
    blocks = judged.filter((each) => each !== worst).map(({ block }) => block)
  }
}

/** The site with another sun than is expected. */
const underSun = (site: Site, factor: number): Site =>
  factor === 1
    ? site
    : { ...site, steps: site.steps.map((step) => Object.assign({}, step, { pvW: step.pvW * factor })) }

/** How far and how long batteries are below their reserve, or below what they began with when that was less; Wh times hours. */
function belowReserve({ batteries, steps }: Site, course: Course): number {
  return course.steps.reduce((sum, { storedWh }, index) => {
    const missing = batteries.map(({ reserveWh, storedWh: begin }, number) =>
      Math.max(0, Math.min(reserveWh, begin) - (storedWh[number] ?? 0)),
    )
    return sum + missing.reduce((total, wh) => total + wh, 0) * (steps[index]?.hours ?? 0)
  }, 0)
}

function actionsOf(site: Site, blocks: readonly Block[]): Actions {
  const actions: Action[][] = site.steps.map(() => site.batteries.map(() => automatic))
  for (const { battery, from, until, action } of blocks)
    for (let index = from; index < until; index += 1) {
      const step = actions[index]
      if (step !== undefined) step[battery] = action
    }
  return actions
}
