import { answer, formatBytes, IconAction, QueryState, Section } from '@hearth/ui'
import { IconRefresh } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { api, keys, type HostInfo } from '../api.ts'
import './statistics.css'

/** State of the host; read when shown, and on request. */
export function HostCard() {
  const host = useQuery({ queryKey: keys.host, queryFn: () => answer(api.GET('/api/system/host')), staleTime: 5000 })
  return (
    <Section
      title="Host"
      actions={
        <IconAction
          icon={IconRefresh}
          tip="Read again"
          label="Read the host again"
          variant="subtle"
          color="gray"
          size="md"
          loading={host.isFetching}
          onClick={() => void host.refetch()}
        />
      }
    >
      <QueryState query={host} lines={3} />
      {host.data !== undefined && <Gauges host={host.data} />}
    </Section>
  )
}

function Gauges({ host: { storage, cpu, memory, uptime } }: { host: HostInfo }) {
  return (
    <div className="gauges">
      <Gauge
        label="Disk"
        kind="room"
        percent={storage?.percent}
        text={storage === null ? 'Not known' : `${formatBytes(storage.free)} free of ${formatBytes(storage.total)}`}
      />
      <Gauge
        label="Memory"
        kind="room"
        percent={memory?.percent}
        text={memory === null ? 'Not known' : `${formatBytes(memory.available)} free of ${formatBytes(memory.total)}`}
      />
      <Gauge
        label="Processor"
        kind="work"
        percent={cpu?.percent}
        text={cpu === null ? 'Not known' : `${cpu.cores} ${cpu.cores === 1 ? 'core' : 'cores'}`}
      />
      {uptime !== null && <p className="hearth-dimmed gauge-note">Running for {uptime.text}</p>}
    </div>
  )
}

/** Shares above these are worth a look, and a worry. */
const [much, tooMuch] = [80, 92]

const sayings = {
  room: { much: 'getting full', full: 'nearly full' },
  work: { much: 'busy', full: 'very busy' },
} as const

/** Usage as a bar with its percentage; a text says when it is nearly full, or busy. */
function Gauge(props: { label: string; percent: number | undefined; text: string; kind: 'room' | 'work' }) {
  const { label, percent, text, kind } = props
  const level = percent === undefined || percent < much ? 'fine' : percent < tooMuch ? 'much' : 'full'
  const words = level === 'fine' ? '' : `, ${sayings[kind][level]}`
  return (
    <div className="gauge" data-level={level}>
      <p>
        <span>{label}</span>
        <b>{percent === undefined ? '–' : `${Math.round(percent)} %`}</b>
      </p>
      <meter aria-label={`${label}: ${text}${words}`} min={0} max={100} value={percent ?? 0} />
      <p className="gauge-note">
        {text}
        {words}
      </p>
    </div>
  )
}
