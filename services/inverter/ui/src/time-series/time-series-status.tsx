import { formatBytes, formatCount, RelativeTime, type Tone } from '@hearth/ui'
import type { ReactNode } from 'react'
import type { TimeSeriesView } from '../api.ts'
import { ConnectionSection } from '../connection/connection-section.tsx'
import { Facts, Notice } from '../page-elements.tsx'

type Status = TimeSeriesView['status']

const states: Record<Status['state'], { tone: Tone; text: string }> = {
  off: { tone: 'quiet', text: 'Off' },
  writing: { tone: 'good', text: 'Writing' },
  waiting: { tone: 'bad', text: 'Waiting' },
}

/** The state of writing, why it failed, what was written and lost, and below what can be done. */
export function TimeSeriesStatus({ status, children }: { status: Status; children: ReactNode }) {
  return (
    <ConnectionSection status={status} badge={states[status.state]} test={children}>
      {status.last_refusal !== null && (
        <Notice mb={12}>
          {formatCount(status.points_refused, 'point')} refused. {status.last_refusal}
        </Notice>
      )}
      {status.state === 'off' ? (
        <p className="hearth-dimmed">
          InfluxDB, VictoriaMetrics and Grafana get the values of your inverters once it is on.
        </p>
      ) : (
        <Facts
          facts={[
            ['Last written', <RelativeTime key="written" value={status.last_written_at} />],
            ['Points written', status.points_written.toLocaleString('en')],
            ['In the buffer', formatBytes(status.buffered_bytes)],
            ['Refused by the server', status.points_refused.toLocaleString('en')],
            ['Lost to a full buffer', status.points_overflowed.toLocaleString('en')],
          ]}
        />
      )}
    </ConnectionSection>
  )
}
