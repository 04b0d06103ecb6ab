import type { TrafficSeries } from '../api.ts'
import { ErrorState, formatBytes, formatDuration, formatRate, LoadingLines } from '@hearth/ui'
import type { UseQueryResult } from '@tanstack/react-query'
import { TimePlot } from '../charts/time-plot.tsx'
import { bucketWords } from './periods.ts'
import './traffic.css'

/** What moved over time: a picture and the totals. */
export function TrafficHistory({ traffic, title }: { traffic: UseQueryResult<TrafficSeries>; title: string }) {
  if (traffic.data !== undefined) return <History traffic={traffic.data} title={title} />
  if (traffic.error === null) return <LoadingLines lines={5} />
  return <ErrorState error={traffic.error} onRetry={() => void traffic.refetch()} />
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
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {rx + tx === 0 ? (
        <p className="hearth-dimmed traffic-none">Nothing was moved in this time.</p>
      ) : (
        <TimePlot
          title={title}
          summary={`${formatBytes(rx)} received and ${formatBytes(tx)} sent.`}
          times={points.map(({ time }) => time)}
          series={[
            { kind: 'rx', name: 'Received', values: points.map(({ rx_bytes }) => rx_bytes) },
            { kind: 'tx', name: 'Sent', values: points.map(({ tx_bytes }) => tx_bytes) },
          ]}
          isBinary
          isUtc={resolution !== 'hourly'}
          format={formatBytes}
          formatTime={(time) => bucketWords(time, resolution)}
        />
      )}
    </>
  )
}
