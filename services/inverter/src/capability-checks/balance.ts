import type { CheckedCapability, CheckFinding } from './schema.ts'

/** One reading of the powers of a house, watts. */
export interface PowerSample {
  readonly solar: number
  readonly load: number
  readonly grid: number
  readonly battery: number
}

/** Power below which a sign cannot be told, watts. */
const minWatts = 150

/** Difference between what the house uses and what comes in that losses and the time between readings explain, watts and share. */
const toleratedWatts = 120
const toleratedShare = 0.12

/** Samples of which a sign must be the same. */
const needed = 3

type Sign = 1 | -1
type SignCheck = Exclude<CheckedCapability, 'write_path_convention'>

/**
 * Tells the sign of the battery or the grid power by the balance of the house: what it uses is what sun, battery and grid give.
 * A sign is found when one alone explains the balance, and does so in every sample that tells anything.
 */
export function findSign(name: SignCheck, samples: readonly PowerSample[]): CheckFinding {
  const what = name === 'battery_power_sign_convention' ? 'battery' : 'grid'
  const steps = samples.map(
    ({ solar, load, grid, battery }) =>
      `House ${watts(load)}, sun ${watts(solar)}, grid ${watts(grid)}, battery ${watts(battery)}`,
  )
  const strong = samples.filter((sample) => Math.abs(sample[what]) >= minWatts)
  if (strong.length < needed)
    return {
      outcome: 'inconclusive',
      steps,
      detail: `The ${what} power is too small to tell its sign. ${advice[what]}`,
      evidence: {},
    }
  const signs = new Set(strong.flatMap((sample) => signsOf(sample, what)))
  const [sign] = signs
  if (signs.size !== 1 || sign === undefined)
    return {
      outcome: 'inconclusive',
      steps,
      detail: `The powers do not add up to what the house uses, so the sign cannot be told from them. ${advice[what]}`,
      evidence: {},
    }
  return { outcome: 'found', steps, ...meaningOf(what, sign) }
}

const advice = {
  battery: 'Try again while the battery charges or discharges, with more than 150 W.',
  grid: 'Try again while the house imports or exports more than 150 W; at night turn on an oven.',
} as const

/** Signs of one power with which the balance is right, whatever the sign of the other. */
function signsOf(sample: PowerSample, what: 'battery' | 'grid'): Sign[] {
  const other = what === 'battery' ? sample.grid : sample.battery
  const errorOf = (own: Sign, foreign: Sign) =>
    Math.abs(sample.load - sample.solar - own * sample[what] - foreign * other)
  const tolerated = toleratedWatts + toleratedShare * Math.max(sample.load, sample.solar)
  const both = [1, -1] as const
  return both.filter((own) => both.some((foreign) => errorOf(own, foreign) <= tolerated))
}

function meaningOf(what: 'battery' | 'grid', sign: Sign): Pick<CheckFinding, 'detail' | 'evidence'> {
  const isPositive = sign === 1
  return what === 'battery'
    ? {
        detail: `A discharging battery has ${isPositive ? 'positive' : 'negative'} power.`,
        evidence: { battery_discharge_positive: isPositive },
      }
    : {
        detail: `Import from the grid has ${isPositive ? 'positive' : 'negative'} power.`,
        evidence: { grid_import_positive: isPositive },
      }
}

const watts = (value: number): string => `${Math.round(value)} W`
