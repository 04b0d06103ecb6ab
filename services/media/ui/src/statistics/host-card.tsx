import { ActionIcon, Tooltip } from '@mantine/core'
import { answer, formatBytes, QueryState, Section } from '@hearth/ui'
import { IconRefresh } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { api, type HostInfo, keys } from '../api.ts'
import { Gauge } from './gauge.tsx'
import './statistics.css'

/** How the machine stands; read when it is looked at, and on request. */
export function HostCard() {
  const host = useQuery({ queryKey: keys.host, queryFn: () => answer(api.GET('/api/system/host')), staleTime: 5000 })
  return (
    <Section
      title="Host"
      actions={
        <Tooltip label="Read again">
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label="Read the host again"
            loading={host.isFetching}
            onClick={() => void host.refetch()}
          >
            <IconRefresh size={18} aria-hidden />
          </ActionIcon>
        </Tooltip>
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
