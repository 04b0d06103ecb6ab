import type { Condition } from '@hearth/notifications'
import type { SiteReport } from '../uptime/site-reports.ts'

/** Conditions to report, and the subjects whose conditions stay as they are. */
export interface DownPlan {
  readonly conditions: readonly Condition[]
  readonly kept: ReadonlySet<string>
}

/** Subject of the condition that all sites are down. */
export const everything = 'all'

/** Fewer sites than these are reported one by one, even when all are down. */
const least = 3

/** Longest wait for the other sites while all of them fail, milliseconds. */
const maxHoldMs = 300_000

/** Names in the message that all sites are down. */
const named = 5

/** Plans what is reported: each site that is down, or one message when all are. */
export function planDown(states: readonly SiteReport[], now: number): DownPlan {
  const known = states.filter(({ state, isFailing }) => state !== 'unknown' || isFailing)
  const down = states.filter(({ state }) => state === 'down')
  const failing = states.filter(({ isFailing }) => isFailing)
  const kept = new Set(states.filter(isKept).map(({ id }) => String(id)))
  const isLarge = known.length >= least && down.length > 0
  if (isLarge && down.length === known.length) {
    for (const { id } of down) kept.add(String(id))
    return { conditions: [allDown(down)], kept }
  }
  const first = Math.min(...down.map(({ downSince = now }) => downSince))
  const isHeld = isLarge && down.length + failing.length === known.length && Math.abs(now - first) < maxHoldMs
  if (isHeld) {
    // The next checks say whether all sites are down; until then nothing new is reported.
    for (const { id } of down) kept.add(String(id))
    kept.add(everything)
    return { conditions: [], kept }
  }
  return { conditions: down.map(conditionOf), kept }
}

/** What was reported stays while nothing is known, and while a site goes up and down. */
const isKept = ({ state, isFlapping }: SiteReport): boolean => state === 'unknown' || (isFlapping && state === 'up')

function conditionOf({ id, name, text }: SiteReport): Condition {
  return { subject: String(id), title: `Site down: ${name}`, text, path: `/sites/${id}` }
}

function allDown(down: readonly SiteReport[]): Condition {
  const names = down.slice(0, named).map(({ name }) => name)
  const rest = down.length - names.length
  const list = rest > 0 ? `${names.join(', ')} and ${rest} more` : names.join(', ')
  const text = `Caddy or the network is probably away. ${list}. The first: ${down[0]?.text ?? ''}`
  return { subject: everything, title: `All ${down.length} sites are down`, text, path: '/uptime' }
}
