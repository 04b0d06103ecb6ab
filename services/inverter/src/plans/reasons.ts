import type { Block } from './optimiser/optimise.ts'
import type { Site, Step } from './optimiser/site.ts'

/** What the words about a block need. */
export interface ReasonContext {
  readonly site: Site
  /** The time of a step as people read it, `18:00`. */
  readonly timeOf: (index: number) => string
}

/** Says why a block is part of the plan. */
export function reasonOf(block: Block, { site, timeOf }: ReasonContext): string {
  if (block.isWanted) return 'Set by hand.'
  const steps = site.steps.slice(block.from, block.until)
  const later = site.steps.slice(block.until)
  const peak = dearest(later)
  const kept = peak === undefined ? undefined : { price: money(peak.step.buy), time: timeOf(block.until + peak.index) }
  switch (block.action.kind) {
    case 'charge': {
      if (steps.every(({ loadW, pvW }) => pvW > loadW)) return 'Stores what the grid does not take or pays little for.'
      const price = money(mean(steps.map(({ buy }) => buy)))
      const use = kept === undefined ? '' : `, used up to ${kept.price} at ${kept.time}`
      return `Cheap energy at ${price}${use}.`
    }
    case 'hold': {
      const isSunny = steps.every(({ loadW, pvW }) => pvW >= loadW)
      if (isSunny) return 'Leaves room in the battery: the sun comes later or feeding in pays more now.'
      if (kept === undefined || block.gain <= 0) return 'Keeps the reserve.'
      return `Kept for ${kept.time} at ${kept.price}.`
    }
    case 'discharge':
      return `Covers part of the house at ${money(mean(steps.map(({ buy }) => buy)))}; the rest is kept for later.`
    case 'automatic':
      return 'The inverter decides by itself.'
  }
}

/** The step with the highest price in which the house takes more than the sun gives. */
function dearest(steps: readonly Step[]): { step: Step; index: number } | undefined {
  let found: { step: Step; index: number } | undefined
  for (const [index, step] of steps.entries())
    if (step.loadW > step.pvW && (found === undefined || step.buy > found.step.buy)) found = { step, index }
  return found
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

const money = (value: number): string => value.toFixed(Math.abs(value) < 0.1 ? 3 : 2)
