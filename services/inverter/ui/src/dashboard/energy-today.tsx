import { LoadingLines } from '@hearth/ui'
import type { CSSProperties } from 'react'
import { dayOf } from '../values/energy-flow.ts'
import { numberOf, type ValueMap } from '../values/live-value.ts'
import { dayMetrics } from '../values/metric-names.ts'
import { energy, percent, spell } from '../values/quantity.ts'
import { StaleSign, useStaleness } from './figure.tsx'

/** Energy since midnight and the self-sufficiency. */
export function EnergyToday({ values }: { values: ValueMap | undefined }) {
  const stale = useStaleness(
    dayMetrics.map((name) => values?.[name]),
    'slow',
  )
  if (values === undefined) return <LoadingLines lines={4} />
  const day = dayOf((name) => numberOf(values, name))
  const rows = [
    ['solar', 'Produced', day.produced],
    ['house', 'Used', day.used],
    ['grid', 'From the grid', day.imported],
    ['grid', 'To the grid', day.exported],
  ] as const
  const maxWh = Math.max(1, ...rows.map(([, , wattHours]) => wattHours ?? 0))
  return (
    <div className="day" data-stale={stale !== null || undefined}>
      <ul className="day-rows">
        {rows.map(([kind, label, wattHours]) => (
          <li key={label} data-kind={kind}>
            <span>{label}</span>
            <b>{spell(energy(wattHours))}</b>
            <span className="day-bar" style={{ '--share': `${((wattHours ?? 0) / maxWh) * 100}%` } as CSSProperties} />
          </li>
        ))}
      </ul>
      <p className="day-own">
        Self-sufficiency <b>{spell(percent(day.selfSufficiency))}</b> <StaleSign reason={stale} />
      </p>
    </div>
  )
}
