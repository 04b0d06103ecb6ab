import { SegmentedControl, Text } from '@mantine/core'
import { axisTicks, ChartStrip, formatDay, formatTime, Section, TimeChart } from '@hearth/ui'
import type { ReactNode } from 'react'
import type { SiteTraffic, TrafficOverview, TrafficRange } from './read-traffic.ts'
import { formatMs, formatPace, latencySeries, requestSeries, sentenceOf } from './traffic-figures.ts'
import './traffic.css'

const ranges: readonly { value: TrafficRange; label: string }[] = [
  { value: '1h', label: '1 h' },
  { value: '6h', label: '6 h' },
  { value: '24h', label: '24 h' },
  { value: '7d', label: '7 d' },
  { value: '30d', label: '30 d' },
]

/** Requests over time by how they ended, and how long they took; `isSimple` draws without the library for charts. */
export function TrafficCharts({ traffic, isSimple }: { traffic: TrafficOverview | SiteTraffic; isSimple?: boolean }) {
  const Chart = isSimple ? ChartStrip : TimeChart
  const { points, step_seconds: step, totals, range } = traffic
  const times = points.map(({ at }) => at)
  const formatTime = (at: string) => timeText(at, range)
  if (totals.requests === 0) return <Text c="dimmed">{sentenceOf(totals)}</Text>
  return (
    <>
      <Chart
        title="Requests"
        summary={sentenceOf(totals)}
        times={times}
        series={requestSeries(points, { stepSeconds: step, totals })}
        ticks={(maximum) => axisTicks(maximum, { smallest: 0.01 })}
        format={formatPace}
        formatTime={formatTime}
      />
      <h3 className="traffic-heading">How long requests take</h3>
      <Chart
        title="How long requests take"
        shape="lines"
        summary="The line is what half of the requests took at most, the dashes what 95 % did."
        times={times}
        series={latencySeries(points)}
        format={formatMs}
        formatTime={formatTime}
      />
    </>
  )
}

/** The frame of the charts, with the choice of the time. */
export function TrafficSection(props: {
  range: TrafficRange
  onRange: (range: TrafficRange) => void
  children: ReactNode
}) {
  return (
    <Section
      title="Traffic"
      actions={
        <SegmentedControl
          size="xs"
          aria-label="Time"
          value={props.range}
          data={[...ranges]}
          onChange={(value) => {
            const chosen = ranges.find((one) => one.value === value)
            if (chosen !== undefined) props.onRange(chosen.value)
          }}
        />
      }
    >
      {props.children}
    </Section>
  )
}

function timeText(at: string, range: TrafficRange): string {
  const date = new Date(at)
  const isShort = range === '1h' || range === '6h' || range === '24h'
  return isShort ? formatTime(date) : `${formatDay(date)}, ${formatTime(date)}`
}
