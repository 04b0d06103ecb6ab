import { Button, Text } from '@mantine/core'
import { answer, DataTable, EmptyState, tableAnswer, TableSearch, useSession, useTableState } from '@hearth/ui'
import { IconPlus, IconRoute, IconSearchOff } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, keys } from '../api.ts'
import { DnsFrame } from '../dns/dns-frame.tsx'
import { zoneColumns, type ZoneDialog } from '../dns/zones/zone-columns.tsx'
import { DeleteZone, ZoneForm } from '../dns/zones/zone-dialogs.tsx'

const zonesPerPage = 25
const renewMs = 10_000

/** Zones whose names are sent to servers of their own. */
export function DnsZonesPage() {
  const { isAdmin } = useSession()
  const [dialog, setDialog] = useState<ZoneDialog | { kind: 'create' }>()
  const close = () => setDialog(undefined)
  const add = isAdmin && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setDialog({ kind: 'create' })}>
      Add zone
    </Button>
  )
  return (
    <DnsFrame>
      <ZoneTable onOpen={isAdmin ? setDialog : undefined} add={add} />
      {dialog?.kind === 'create' && <ZoneForm onClose={close} />}
      {dialog?.kind === 'edit' && <ZoneForm zone={dialog.zone} onClose={close} />}
      {dialog?.kind === 'delete' && <DeleteZone zone={dialog.zone} onClose={close} />}
    </DnsFrame>
  )
}

function ZoneTable({ onOpen, add }: { onOpen: ((dialog: ZoneDialog) => void) | undefined; add: React.ReactNode }) {
  const state = useTableState()
  const query = {
    limit: zonesPerPage,
    offset: (state.page - 1) * zonesPerPage,
    ...(state.search === '' ? {} : { search: state.search }),
  }
  const zones = useQuery({
    queryKey: [...keys.dnsZones, query],
    queryFn: () => answer(api.GET('/api/dns/zones', { params: { query } })),
    placeholderData: keepPreviousData,
    refetchInterval: renewMs,
  })
  const isNarrowed = state.search !== ''
  const total = zones.data?.total ?? 0
  return (
    <>
      {(total > 0 || isNarrowed) && (
        <search className="hearth-toolbar">
          <TableSearch state={state} label="Search zones and servers" />
          <div className="toolbar-end">{add}</div>
        </search>
      )}
      <DataTable
        label="Zones"
        columns={zoneColumns(onOpen)}
        state={state}
        pageSize={zonesPerPage}
        rowKey={(zone) => zone.id}
        answer={tableAnswer(zones, zones.data?.data, total)}
        empty={
          isNarrowed ? (
            <EmptyState
              icon={IconSearchOff}
              title="No zone matches"
              action={
                <Button variant="default" onClick={() => state.change({ search: '' })}>
                  Show all zones
                </Button>
              }
            />
          ) : (
            <EmptyState icon={IconRoute} title="No zones yet" action={add}>
              Names of your company or your router can be looked up at their own DNS servers: everything else still goes
              to the upstream servers.
            </EmptyState>
          )
        }
      />
      {total > 0 && (
        <Text c="dimmed" size="sm" mt="sm">
          Names in a zone are sent to its servers and to no others. Rules, local names, names of peers and lists come
          before that.
        </Text>
      )}
    </>
  )
}
