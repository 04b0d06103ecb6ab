import { invalid } from '../problems.ts'
import type { PlanChoiceRow } from '../tables.ts'
import { quarterMs, quarterOf } from './quarters/quarters.ts'
import type { PlanChoice } from './schema.ts'

/** How far ahead a choice may begin, milliseconds. */
const aheadMs = 3 * 86_400_000

/** Returns what a person wants in whole quarter hours, by inverter and time. Throws `invalid_request` for what cannot be. */
export function choiceRows(choices: readonly PlanChoice[], deviceIds: readonly string[], now: number): PlanChoiceRow[] {
  const rows = choices.flatMap(({ device_id: own, start, end, action }) => {
    if (own !== undefined && !deviceIds.includes(own)) throw invalid('choices', `name no inverter of the plan: ${own}`)
    const [from, until] = [quarterOf(Date.parse(start)), quarterOf(Date.parse(end) + quarterMs - 1)]
    if (until <= from) throw invalid('choices', 'must end after they begin')
    if (from > now + aheadMs) throw invalid('choices', 'must begin within three days')
    return (own === undefined ? deviceIds : [own]).map((id): PlanChoiceRow => {
      return { device_id: id, from_at: from, until_at: until, action }
    })
  })
  for (const list of Map.groupBy(rows, ({ device_id: id }) => id).values()) {
    const sorted = list.toSorted((a, b) => a.from_at - b.from_at)
    for (const [index, { until_at: until }] of sorted.entries())
      if ((sorted[index + 1]?.from_at ?? Infinity) < until) throw invalid('choices', 'must not overlap')
  }
  return rows
}
