import { LoadingLines } from '@hearth/ui'
import { VisuallyHidden } from '@mantine/core'
import { IconBatteryVertical4, IconChevronRight, IconHome, IconSolarPanel2, IconTransform } from '@tabler/icons-react'
import type { ComponentType, CSSProperties } from 'react'
import {
  batteryLabel,
  type Direction,
  directionOf,
  type EnergyFlow,
  gridLabel,
  noiseW,
  stepSeconds,
  describeFlow,
} from '../values/energy-flow.ts'
import type { ValueMap } from '../values/live-value.ts'
import { flowMetrics } from '../values/metric-names.ts'
import { PylonIcon } from '../values/pylon-icon.tsx'
import { percent, power, spell } from '../values/quantity.ts'
import { StaleSign, useStaleness } from './figure.tsx'

/** The live picture of where power goes. */
export function FlowCard({ values, flow }: { values: ValueMap | undefined; flow: EnergyFlow | undefined }) {
  const stale = useStaleness(flowMetrics.map((name) => values?.[name]))
  if (flow === undefined) return <LoadingLines lines={5} />
  return (
    <div className="flow-frame" data-stale={stale !== null || undefined}>
      {stale !== null && (
        <p className="flow-stale">
          <StaleSign reason={stale} /> Stale values: {stale}
        </p>
      )}
      <FlowView flow={flow} />
    </div>
  )
}

/** The picture of a flow, with its text for screen readers. */
export function FlowView({ flow }: { flow: EnergyFlow }) {
  return (
    <>
      <VisuallyHidden component="p">{describeFlow(flow)}</VisuallyHidden>
      <FlowPicture flow={flow} />
    </>
  )
}

function FlowPicture({ flow }: { flow: EnergyFlow }) {
  const { solar, grid, house, battery, soc } = flow
  const solarText = solar === undefined ? 'No value' : solar < noiseW ? 'Idle' : 'Producing'
  const houseDirection = house === undefined || house < noiseW ? 'still' : 'out'
  return (
    <div className="flow" aria-hidden>
      <Branch kind="solar" icon={IconSolarPanel2} label="Solar" watts={solar} direction={directionOf(solar)}>
        {solarText}
      </Branch>
      <Branch kind="grid" icon={PylonIcon} label="Grid" watts={grid} direction={directionOf(grid)}>
        {gridLabel(grid)}
      </Branch>
      <div className="flow-hub">
        <IconTransform size={24} stroke={1.6} />
      </div>
      <Branch kind="house" icon={IconHome} label="House" watts={house} direction={houseDirection}>
        {house === undefined ? 'No value' : 'Using'}
      </Branch>
      <Branch
        kind="battery"
        icon={IconBatteryVertical4}
        label={soc === undefined ? 'Battery' : `Battery ${spell(percent(soc))}`}
        watts={battery}
        share={soc}
        direction={directionOf(battery)}
      >
        {batteryLabel(battery)}
      </Branch>
    </div>
  )
}

type Kind = 'solar' | 'house' | 'battery' | 'grid'

/** One source or consumer, and its link to the inverter in the middle. */
function Branch(props: {
  kind: Kind
  icon: ComponentType<{ size?: number; stroke?: number }>
  label: string
  watts: number | undefined
  /** State of charge, 0 to 1. */
  share?: number | undefined
  direction: Direction
  children: string
}) {
  const { kind, icon: Icon, label, watts, share, direction, children } = props
  const { digits, unit } = power(watts)
  return (
    <>
      <div className="flow-node" data-kind={kind}>
        <span className="flow-label">{label}</span>
        <span className="flow-icon">
          {share !== undefined && <Ring share={share} />}
          <Icon size={26} stroke={kind === 'grid' ? 1.5 : 1.6} />
        </span>
        <span className="flow-text">
          <b>
            {digits} <small>{unit}</small>
          </b>
          <span>{children}</span>
        </span>
      </div>
      <Link kind={kind} direction={direction} watts={watts} />
    </>
  )
}

/** State of charge as a ring around the icon. */
function Ring({ share }: { share: number }) {
  const length = 2 * Math.PI * 26
  return (
    <svg className="flow-ring" viewBox="0 0 56 56">
      <circle cx="28" cy="28" r="26" strokeDasharray={`${Math.min(1, Math.max(0, share)) * length} ${length}`} />
    </svg>
  )
}

/** Axis of each link, and the end at which its branch stands. */
const links = {
  solar: { axis: 'y', from: 'start' },
  grid: { axis: 'x', from: 'start' },
  house: { axis: 'x', from: 'end' },
  battery: { axis: 'y', from: 'end' },
} as const

/** A line with moving dots and an arrow. */
function Link({ kind, direction, watts }: { kind: Kind; direction: Direction; watts: number | undefined }) {
  const { axis, from } = links[kind]
  const ahead = (direction === 'in') === (from === 'start')
  const turn = (axis === 'y' ? 90 : 0) + (ahead ? 0 : 180)
  const ends =
    axis === 'x' ? { x1: '0', x2: '100%', y1: '50%', y2: '50%' } : { x1: '50%', x2: '50%', y1: '0', y2: '100%' }
  return (
    <div
      className="flow-link"
      data-kind={kind}
      data-axis={axis}
      data-still={direction === 'still' || undefined}
      data-back={!ahead || undefined}
      style={{ '--step': `${stepSeconds(watts)}s` } as CSSProperties}
    >
      <svg>
        <line className="flow-wire" {...ends} />
        <line className="flow-dots" {...ends} />
      </svg>
      {direction !== 'still' && (
        <IconChevronRight className="flow-arrow" size={18} stroke={2.4} style={{ rotate: `${turn}deg` }} />
      )}
    </div>
  )
}
