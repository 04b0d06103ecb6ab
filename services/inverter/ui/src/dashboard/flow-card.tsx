import { LoadingLines } from '@hearth/ui'
import { VisuallyHidden } from '@mantine/core'
import { IconBatteryVertical4, IconChevronRight, IconHome, IconSolarPanel2, IconTransform } from '@tabler/icons-react'
import type { CSSProperties, ReactNode } from 'react'
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
      <VisuallyHidden component="p">{describeFlow(flow)}</VisuallyHidden>
      <FlowPicture flow={flow} />
    </div>
  )
}

function FlowPicture({ flow }: { flow: EnergyFlow }) {
  const battery = directionOf(flow.battery)
  const house = flow.house === undefined || flow.house < noiseW ? 'still' : 'out'
  return (
    <div className="flow" aria-hidden>
      <Node kind="solar" icon={<IconSolarPanel2 size={26} stroke={1.6} />} label="Solar" watts={flow.solar}>
        {flow.solar === undefined ? 'No value' : flow.solar < noiseW ? 'Idle' : 'Producing'}
      </Node>
      <Link kind="solar" axis="y" from="start" direction={directionOf(flow.solar)} watts={flow.solar} />
      <Node kind="grid" icon={<PylonIcon size={26} stroke={1.5} />} label="Grid" watts={flow.grid}>
        {gridLabel(flow.grid)}
      </Node>
      <Link kind="grid" axis="x" from="start" direction={directionOf(flow.grid)} watts={flow.grid} />
      <div className="flow-hub">
        <IconTransform size={24} stroke={1.6} />
      </div>
      <Link kind="house" axis="x" from="end" direction={house} watts={flow.house} />
      <Node kind="house" icon={<IconHome size={26} stroke={1.6} />} label="House" watts={flow.house}>
        {flow.house === undefined ? 'No value' : 'Using'}
      </Node>
      <Link kind="battery" axis="y" from="end" direction={battery} watts={flow.battery} />
      <Node
        kind="battery"
        icon={<IconBatteryVertical4 size={26} stroke={1.6} />}
        label={flow.soc === undefined ? 'Battery' : `Battery ${spell(percent(flow.soc))}`}
        watts={flow.battery}
        share={flow.soc}
      >
        {batteryLabel(flow.battery)}
      </Node>
    </div>
  )
}

type Kind = 'solar' | 'house' | 'battery' | 'grid'

function Node(props: {
  kind: Kind
  icon: ReactNode
  label: string
  watts: number | undefined
  share?: number | undefined
  children: string
}) {
  const { digits, unit } = power(props.watts)
  return (
    <div className="flow-node" data-kind={props.kind}>
      <span className="flow-label">{props.label}</span>
      <span className="flow-icon">
        {props.share !== undefined && <Ring share={props.share} />}
        {props.icon}
      </span>
      <span className="flow-text">
        <b>
          {digits} <small>{unit}</small>
        </b>
        <span>{props.children}</span>
      </span>
    </div>
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

/** A line with moving dots and an arrow; `from` is the end at which the outside part stands. */
function Link(props: {
  kind: Kind
  axis: 'x' | 'y'
  from: 'start' | 'end'
  direction: Direction
  watts: number | undefined
}) {
  const { kind, axis, from, direction, watts } = props
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
