import { DurationHistogram, LabelledCounts } from '@hearth/metrics'
import type { ApplyResult } from '../deploy/apply.ts'

/** Counts of applied changes since the start, and their durations. */
export type ApplyCounts = ReturnType<typeof createApplyCounts>

/** Creates the counts; `add` is called for every change that was tried. */
export function createApplyCounts() {
  const durations = new DurationHistogram({
    name: 'hearth_sites_apply_duration_seconds',
    help: 'Time to bring every Caddy server to what is wanted, without the wait for further edits',
    bounds: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  })
  const counts = new LabelledCounts()
  return {
    durations,
    /** Adds the result of a change, which took so many milliseconds. */
    add({ nodes }: Pick<ApplyResult, 'nodes'>, durationMs: number): void {
      // Before a Caddy is managed nothing is applied.
      if (nodes.length === 0) return
      durations.observe('', durationMs / 1000, () => ({}))
      for (const { name: node, outcome } of nodes)
        counts.add(`${outcome.kind} ${node}`, () => ({ node, outcome: outcome.kind.replaceAll('-', '_') }))
    },
    /** The counts by server and outcome. */
    read: () => counts.samples(),
  }
}
