import { NativeSelect } from '@mantine/core'
import {
  answer,
  DataTable,
  EmptyState,
  PageHeader,
  tableAnswer,
  TableSearch,
  Tile,
  useAction,
  useSession,
  useTableState,
} from '@hearth/ui'
import { IconCertificate, IconRefresh, IconSearchOff } from '@tabler/icons-react'
import { useState } from 'react'
import { IconButton } from '../controls/icon-button.tsx'
import { api, keys } from '../api.ts'
import { AuthoritySection, SslLabsState } from '../certificates/authority-section.tsx'
import { byUrgency, certificateState } from '../certificates/certificate-words.ts'
import { GradeChart } from '../certificates/grade-chart.tsx'
import { hostColumns } from '../certificates/host-columns.tsx'
import { HostDrawer } from '../certificates/host-drawer.tsx'
import { type HostCertificate, useCertificates } from '../certificates/read-certificates.ts'
import { UploadSection } from '../certificates/upload-section.tsx'
import { OrderSection } from '../orders/order-section.tsx'
import { StateBanners } from '../drift/state-banners.tsx'
import '../dashboard/dashboard.css'

const rowsPerPage = 25
const states = ['valid', 'expiring', 'expired', 'pending', 'missing', 'error'] as const

/** Certificates of the hosts, their grades, and uploaded certificates. */
export function CertificatesPage() {
  const { isAdmin } = useSession()
  const [open, setOpen] = useState<string>()
  const certificates = useCertificates()
  const opened = certificates.data?.certificates.find(({ host }) => host === open)
  return (
    <>
      <PageHeader
        title="Certificates"
        description="As visitors see them, checked on the server itself."
        actions={isAdmin && <LookNow />}
      />
      <StateBanners />
      <div className="hearth-stack">
        {certificates.data !== undefined && certificates.data.certificates.length > 0 && (
          <Counts counts={certificates.data.counts} />
        )}
        <HostTable certificates={certificates} onOpen={({ host }) => setOpen(host)} />
        <GradeChart />
        {isAdmin && <OrderSection />}
        {isAdmin && <UploadSection />}
        {isAdmin && (
          <div className="dashboard-columns">
            <AuthoritySection />
            <SslLabsState />
          </div>
        )}
      </div>
      {opened !== undefined && <HostDrawer host={opened} onClose={() => setOpen(undefined)} />}
    </>
  )
}

function LookNow() {
  const look = useAction({
    run: () => answer(api.POST('/api/v1/certificates/refresh', { body: {} })),
    done: () => 'All certificates are checked',
    renew: [keys.certificates],
  })
  return (
    <IconButton icon={IconRefresh} loading={look.isPending} onClick={() => look.mutate()}>
      Check now
    </IconButton>
  )
}

function Counts({ counts }: { counts: { valid: number; expired: number; expiring_soon: number } }) {
  return (
    <div className="hearth-tiles">
      <Tile label="Valid" value={counts.valid.toLocaleString('en')} />
      <Tile
        label="Expire soon"
        value={counts.expiring_soon.toLocaleString('en')}
        tone={counts.expiring_soon > 0 ? 'warn' : undefined}
      />
      <Tile label="Expired" value={counts.expired.toLocaleString('en')} tone={counts.expired > 0 ? 'bad' : undefined} />
    </div>
  )
}

interface HostTableProps {
  certificates: ReturnType<typeof useCertificates>
  onOpen: (host: HostCertificate) => void
}

/** The list comes whole, so the search and the pages are made here. */
function HostTable({ certificates, onOpen }: HostTableProps) {
  const state = useTableState(['state'])
  const all = certificates.data?.certificates
  const wanted = state.filters['state'] ?? ''
  const search = state.search.toLowerCase()
  const fitting = all?.filter((host) => host.host.includes(search) && (wanted === '' || host.state === wanted))
  const rows = fitting === undefined ? undefined : byUrgency(fitting)
  const isEmpty = all?.length === 0
  return (
    <div>
      {!isEmpty && (
        <search className="hearth-toolbar">
          <TableSearch state={state} label="Search hosts" />
          <NativeSelect
            aria-label="State"
            value={wanted}
            onChange={(event) => state.change({ filter: { state: event.currentTarget.value } })}
            data={[
              { value: '', label: 'Any state' },
              ...states.map((value) => ({ value, label: certificateState(value).text })),
            ]}
          />
        </search>
      )}
      <DataTable
        label="Certificates"
        columns={hostColumns(onOpen)}
        state={state}
        pageSize={rowsPerPage}
        rowKey={({ host }) => host}
        answer={tableAnswer(
          certificates,
          rows?.slice((state.page - 1) * rowsPerPage, state.page * rowsPerPage),
          rows?.length,
        )}
        empty={
          isEmpty ? (
            <EmptyState icon={IconCertificate} title="No host has TLS yet">
              Certificates appear here as soon as a site is served by HTTPS.
            </EmptyState>
          ) : (
            <EmptyState icon={IconSearchOff} title="No host matches">
              Try another part of the name, or any state.
            </EmptyState>
          )
        }
      />
    </div>
  )
}
