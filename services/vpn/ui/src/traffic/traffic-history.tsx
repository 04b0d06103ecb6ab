import { axisTicks, Fact, formatBytes, formatDuration, formatRate, PageHeader, QueryState, TimeChart } from '@hearth/ui'
import type { UseQueryResult } from '@tanstack/react-query'
import { SegmentedControl } from '@mantine/core'
import type { ReactNode } from 'react'
import type { TrafficSeries } from '../api.ts'
import { bucketText, periods } from './periods.ts'
import { SectionTabs } from '../sections/section-tabs.tsx'

import './traffic.css'

/** Traffic over time: a chart and the totals. */
export function TrafficHistory({ traffic, title }: { traffic: UseQueryResult<TrafficSeries>; title: string }) {
  if (traffic.data !== undefined) return <History traffic={traffic.data} title={title} />
  return <QueryState query={traffic} lines={5} />
}

function History({ traffic, title }: { traffic: TrafficSeries; title: string }) {
  const { points, resolution, totals } = traffic
  const { rx_bytes: rx, tx_bytes: tx } = totals
  const facts: [string, string][] = [
    ['Received', formatBytes(rx)],
    ['Sent', formatBytes(tx)],
    ['Average', formatRate(totals.average_rate)],
    [`Busiest ${formatDuration(totals.peak_seconds)}`, formatRate(totals.peak_rate)],
    ['Connected', formatDuration(totals.active_seconds)],
  ]
  return (
    <>
      <dl className="traffic-totals">
        {facts.map(([name, value]) => (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ))}
      </dl>
      {rx + tx === 0 ? (
        <p className="hearth-dimmed traffic-none">No traffic in this time.</p>
      ) : (
        <TimeChart
          title={title}
          summary={`${formatBytes(rx)} received and ${formatBytes(tx)} sent.`}
          times={points.map(({ time }) => time)}
          series={[
            { tone: 'accent', name: 'Received', values: points.map(({ rx_bytes }) => rx_bytes) },
            { tone: 'quiet', name: 'Sent', values: points.map(({ tx_bytes }) => tx_bytes) },
          ]}
          ticks={(maximum) => axisTicks(maximum, { base: 1024 })}
          isUtc={resolution !== 'hourly'}
          format={formatBytes}
          formatTime={(time) => bucketText(time, resolution)}
        />
      )}
    </>
  )
}

/** Choice of the period that is shown. */
export function PeriodChoice({ value, onChange }: { value: string; onChange: (name: string) => void }) {
  return (
    <SegmentedControl
      className="period-choice"
      aria-label="Time"
      value={value}
      onChange={onChange}
      data={periods.map(({ name, label }) => ({ value: name, label }))}
    />
  )
}

const tabs = [
  { href: '/traffic', label: 'Over time' },
  { href: '/traffic/countries', label: 'Countries' },
  { href: '/traffic/networks', label: 'Networks' },
]

/** Frame of the traffic pages. */
export function TrafficFrame({ description, children }: { description: string; children: ReactNode }) {
  return (
    <>
      <PageHeader title="Traffic" description={description} />
      <SectionTabs label="Traffic" tabs={tabs} />
      {children}
    </>
  )
}
