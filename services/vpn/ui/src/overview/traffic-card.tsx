import { formatRate, Section } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import type { Dashboard } from '../api.ts'
import { rateHistoryKey } from '../live-cache.ts'
import type { RateSample } from '../live-changes.ts'
import { scaleTop, sparkPath } from './spark-path.ts'

const box = { width: 600, height: 120 }

/** Traffic of the last minutes as it comes in with the events. */
export function TrafficCard({ overview }: { overview: Dashboard }) {
  const { data: samples = [] } = useQuery<RateSample[]>({
    queryKey: rateHistoryKey,
    queryFn: () => [],
    staleTime: Number.POSITIVE_INFINITY,
    enabled: false,
  })
  const received = samples.map(({ rx }) => rx)
  const sent = samples.map(({ tx }) => tx)
  const top = scaleTop([...received, ...sent])
  const slots = Math.max(30, samples.length)
  const rx = sparkPath(received, { ...box, slots }, top)
  const tx = sparkPath(sent, { ...box, slots }, top)
  const { rx_rate, tx_rate } = overview.traffic
  return (
    <Section title="Traffic now">
      <dl className="traffic-legend">
        <div data-line="rx">
          <dt>Received</dt>
          <dd>{formatRate(rx_rate)}</dd>
        </div>
        <div data-line="tx">
          <dt>Sent</dt>
          <dd>{formatRate(tx_rate)}</dd>
        </div>
      </dl>
      <div className="traffic-plot">
        <span className="traffic-top">{formatRate(top)}</span>
        <svg viewBox={`0 0 ${box.width} ${box.height}`} preserveAspectRatio="none" aria-hidden>
          <path d={rx.area} className="traffic-area" />
          <path d={rx.path} className="traffic-rx" />
          <path d={tx.path} className="traffic-tx" />
        </svg>
        {samples.length < 2 && <p className="traffic-wait">The line appears with the next samples.</p>}
      </div>
    </Section>
  )
}
