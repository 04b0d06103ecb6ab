import type { Attempts, AttemptWindow } from '@hearth/accounts'
import { createBudget, type Allowance, type Budget, type Route } from '@hearth/http'
import type { Clock } from '@hearth/runtime'

/** Counts requests against what their routes allow. */
export type RouteLimits = ReturnType<typeof createRouteLimits>

/** Limit of all unknown paths together. */
const unknownPaths = { name: 'unknown', limit: '60/min' }

/** Creates the counts: in memory, and in the database for the limits that must outlast a restart. */
export function createRouteLimits({ attempts, clock }: { attempts: Attempts; clock: Clock }) {
  const budgets = new Map<string, Budget[]>()

  function takeBriefly(name: string, windows: readonly AttemptWindow[], address: string): Allowance {
    const known = budgets.get(name) ?? windows.map((window) => createBudget({ ...window, clock }))
    budgets.set(name, known)
    const refused = known.map((budget) => budget.peek(address)).find(({ allowed }) => !allowed)
    return refused ?? tightest(known.map((budget) => budget.take(address)))
  }

  return {
    /** Counts a request; undefined when the route is not counted. `spec` is undefined for paths that do not exist. */
    async take(spec: Route['spec'] | undefined, address: string): Promise<Allowance | undefined> {
      if (spec?.limit === 'none') return undefined
      const name = spec === undefined ? unknownPaths.name : nameOf(spec)
      const { isLasting, windows } = parseLimit(spec?.limit ?? unknownPaths.limit)
      return isLasting ? attempts.take(`${name} ${address}`, windows) : takeBriefly(name, windows, address)
    },
    /** Gives the last request back, for a sign-in that succeeded. */
    refund: (spec: Pick<Route['spec'], 'method' | 'path'>, address: string) =>
      attempts.refund(`${nameOf(spec)} ${address}`),
  }
}

const nameOf = ({ method, path }: Pick<Route['spec'], 'method' | 'path'>): string => `${method} ${path}`

const seconds: Readonly<Record<string, number>> = { min: 60, hour: 3600 }

/** Reads what a route states as its limit; see `Limit`. */
export function parseLimit(text: string): { isLasting: boolean; windows: AttemptWindow[] } {
  const words = text.split(' ')
  const windows = words
    .filter((word) => word !== 'lasting')
    .map((word) => {
      const [count = '', unit = ''] = word.split('/')
      return { limit: Number(count), windowSeconds: seconds[unit] ?? 60 }
    })
  return { isLasting: words.includes('lasting'), windows }
}

/** The window of which least is left. */
function tightest(allowances: readonly Allowance[]): Allowance {
  const sorted = [...allowances].sort((a, b) => a.remaining - b.remaining)
  const [first] = sorted
  if (first === undefined) throw new Error('a route has a limit without a window')
  return first
}
