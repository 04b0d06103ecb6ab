import { Section } from '@hearth/ui'
import { IconBattery3, IconHome, IconPercentage, IconSolarPanel2 } from '@tabler/icons-react'
import type { AdminDevice } from '../api.ts'
import { Figure, useStaleness } from '../dashboard/figure.tsx'
import { SimulatedBadge } from '../devices/device-badges.tsx'
import { batteryLabel, type EnergyFlow, gridLabel } from '../values/energy-flow.ts'
import type { ValueMap } from '../values/live-value.ts'
import { flowMetrics } from '../values/metric-names.ts'
import { PylonIcon } from '../values/pylon-icon.tsx'
import { percent, power } from '../values/quantity.ts'

/** Current readings, with the signs of this page. */
export function ReadingsCard(props: {
  device: AdminDevice
  values: ValueMap | undefined
  flow: EnergyFlow | undefined
}) {
  const { device, values, flow } = props
  const stale = useStaleness(flowMetrics.map((name) => values?.[name]))
  const figures = [
    { label: 'State of charge', icon: IconPercentage, kind: 'battery', quantity: percent(flow?.soc) },
    {
      label: 'Battery',
      icon: IconBattery3,
      kind: 'battery',
      quantity: power(flow?.battery),
      note: batteryLabel(flow?.battery),
    },
    { label: 'Grid', icon: PylonIcon, kind: 'grid', quantity: power(flow?.grid), note: gridLabel(flow?.grid) },
    { label: 'House', icon: IconHome, kind: 'house', quantity: power(flow?.house) },
    { label: 'Solar', icon: IconSolarPanel2, kind: 'solar', quantity: power(flow?.solar) },
  ] as const
  return (
    <Section title="Readings" actions={<SimulatedBadge device={device} />}>
      <div className="readings">
        {figures.map((figure) => (
          <Figure key={figure.label} {...figure} quantity={flow && figure.quantity} stale={stale} />
        ))}
      </div>
    </Section>
  )
}
