import { answer, PageHeader, QueryState } from '@hearth/ui'
import { IconActivityHeartbeat, IconRefresh } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { api, keys } from '../api.ts'
import { NoInverter } from '../devices/device-banners.tsx'
import { ConnectionCard } from '../diagnostics/connection-card.tsx'
import '../diagnostics/diagnostics.css'
import { FrameTable } from '../diagnostics/frame-table.tsx'
import { IconButton } from '../page-elements.tsx'

/** Connections, their counters and recent frames. */
export function DiagnosticsPage() {
  const transports = useQuery({
    queryKey: keys.transports,
    queryFn: () => answer(api.GET('/admin/api/diagnostics/transports')),
    staleTime: 0,
  })
  return (
    <>
      <PageHeader
        title="Diagnostics"
        description="Connections, counters and recent frames."
        actions={
          <IconButton icon={IconRefresh} loading={transports.isFetching} onClick={() => void transports.refetch()}>
            Refresh
          </IconButton>
        }
      />
      <QueryState query={transports} lines={8} />
      {transports.data?.transports.length === 0 && (
        <NoInverter icon={IconActivityHeartbeat} title="No connections yet">
          Counters appear when you add an inverter.
        </NoInverter>
      )}
      {transports.data !== undefined && transports.data.transports.length > 0 && (
        <div className="hearth-stack">
          {transports.data.transports.map((transport) => (
            <ConnectionCard key={transport.endpoint_id} transport={transport} all={transports.data} />
          ))}
          <FrameTable endpoints={transports.data.transports.map(({ endpoint_id }) => endpoint_id)} />
        </div>
      )}
    </>
  )
}
