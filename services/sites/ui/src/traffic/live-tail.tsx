import { Text, TextInput } from '@mantine/core'
import { formatTime, Section, StatusBadge, useEventStream, withSeconds } from '@hearth/ui'
import { IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import type { Schemas } from '../api.ts'
import { IconButton } from '../controls/icon-button.tsx'
import { matchesFilter } from './live-filter.ts'
import { formatMs } from './traffic-figures.ts'
import './traffic.css'

type LiveRequest = Schemas['LiveRequest']
type Request = NonNullable<LiveRequest['request']>

interface Row extends Request {
  readonly key: number
}

/** More are forgotten. */
const maxRows = 200

/** Requests as they happen, once somebody wants to look on. Everything in them is text of visitors. */
export function LiveTail({ siteId }: { siteId?: number }) {
  const [isOn, turn] = useState(false)
  return (
    <Section
      title="Requests as they happen"
      actions={
        <IconButton icon={isOn ? IconPlayerStop : IconPlayerPlay} size="xs" onClick={() => turn(!isOn)}>
          {isOn ? 'Stop' : 'Watch'}
        </IconButton>
      }
    >
      {isOn ? (
        <Tail {...(siteId === undefined ? {} : { siteId })} />
      ) : (
        <Text c="dimmed" size="sm">
          Shown without query strings and headers, at most 50 a second.
        </Text>
      )}
    </Section>
  )
}

function Tail({ siteId }: { siteId?: number }) {
  const [filter, setFilter] = useState('')
  const { rows, skipped, state } = useTail(siteId)
  const shown = rows.filter((row) => matchesFilter(row, filter))
  return (
    <div className="field-stack">
      <div className="live-head">
        <TextInput
          aria-label="Filter requests"
          placeholder="Part of a path, a client, a host, or 5xx"
          value={filter}
          onChange={(event) => setFilter(event.currentTarget.value)}
        />
        <StatusBadge tone={state === 'live' ? 'good' : 'warn'}>
          {state === 'live' ? 'Watching' : state === 'reconnecting' ? 'Connecting again' : 'Connecting'}
        </StatusBadge>
        {skipped > 0 && <span className="hearth-dimmed">{skipped.toLocaleString('en')} left out</span>}
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, also by keyboard */}
      <section className="live-rows" tabIndex={0} aria-label="Requests">
        <table>
          <thead>
            <tr>
              {['Time', 'Status', 'Method', 'Path', 'Host', 'Client', 'Took'].map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={row.key} data-class={Math.floor(row.status / 100)}>
                <td>{formatTime(new Date(row.at), withSeconds)}</td>
                <td>{row.status}</td>
                <td>{row.method}</td>
                <td className="live-path">{row.path}</td>
                <td>{row.host}</td>
                <td>{row.client}</td>
                <td>{formatMs(row.duration_ms)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {shown.length === 0 && <p className="live-none hearth-dimmed">No request yet.</p>}
      </section>
    </div>
  )
}

function useTail(siteId: number | undefined) {
  const [rows, setRows] = useState<readonly Row[]>([])
  const [skipped, setSkipped] = useState(0)
  const next = useRef(0)
  const state = useEventStream<LiveRequest>({
    url: `/api/v1/traffic/live${siteId === undefined ? '' : `?site_id=${siteId}`}`,
    onEvent({ request, skipped: left }) {
      if (left > 0) setSkipped((sum) => sum + left)
      if (request === null) return
      next.current += 1
      const row = { ...request, key: next.current }
      setRows((old) => [row, ...old].slice(0, maxRows))
    },
  })
  return { rows, skipped, state }
}
