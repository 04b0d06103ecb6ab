import { answer, type Column, ConfirmDelete, DataTable, EmptyState, PageHeader, tableAnswer } from '@hearth/ui'
import { IconPlus, IconWorldCog } from '@tabler/icons-react'
import { useState } from 'react'
import { api, keys } from '../api.ts'
import { actionColumn } from '../controls/action-column.tsx'
import { IconButton } from '../controls/icon-button.tsx'
import { BackLink } from '../navigation/back-link.tsx'
import { ProviderDialog } from '../orders/provider-dialog.tsx'
import { type DnsProvider, useDnsProviders } from '../orders/read-orders.ts'

type Dialog = { kind: 'add' } | { kind: 'edit' | 'remove'; of: DnsProvider }

/** Where TXT records are made that prove names to an authority. */
export function DnsProvidersPage() {
  const providers = useDnsProviders()
  const [dialog, setDialog] = useState<Dialog>()
  const close = () => setDialog(undefined)
  const kinds = providers.data?.kinds ?? []
  return (
    <>
      <BackLink href="/certificates">Certificates</BackLink>
      <PageHeader
        title="DNS providers"
        description="Where the service makes TXT records that prove your names to an authority."
        actions={
          <IconButton variant="filled" icon={IconPlus} onClick={() => setDialog({ kind: 'add' })}>
            Add provider
          </IconButton>
        }
      />
      <DataTable
        label="DNS providers"
        columns={columns((of, kind) => setDialog({ kind, of }))}
        rowKey={({ id }) => id}
        answer={tableAnswer(providers, providers.data?.providers)}
        empty={
          <EmptyState icon={IconWorldCog} title="No DNS provider yet">
            Add the one that holds your zone: its key or token is kept sealed and used for TXT records only.
          </EmptyState>
        }
      />
      {dialog?.kind === 'add' && <ProviderDialog kinds={kinds} onClose={close} />}
      {dialog?.kind === 'edit' && <ProviderDialog kinds={kinds} of={dialog.of} onClose={close} />}
      {dialog?.kind === 'remove' && <RemoveProvider of={dialog.of} onClose={close} />}
    </>
  )
}

function columns(open: (of: DnsProvider, kind: 'edit' | 'remove') => void): Column<DnsProvider>[] {
  return [
    { key: 'name', header: 'Name', role: 'title', render: ({ name }) => <b>{name}</b> },
    { key: 'kind', header: 'Kind', render: ({ label }) => label },
    {
      key: 'settings',
      header: 'Settings',
      render: ({ settings }) =>
        Object.values(settings)
          .filter((value) => value !== '')
          .join(', ') || '–',
    },
    actionColumn({
      nameOf: ({ name }) => name,
      actions: { Change: (of) => open(of, 'edit'), Remove: (of) => open(of, 'remove') },
    }),
  ]
}

/** TXT records that nobody removes once the provider is gone. */
const recordsLeft = ({ records }: DnsProvider): string[] =>
  records.map(({ name, zone }) => `The TXT record ${name} in the zone ${zone}, which stays there`)

function RemoveProvider({ of, onClose }: { of: DnsProvider; onClose: () => void }) {
  return (
    <ConfirmDelete
      opened
      onClose={onClose}
      title={`Remove ${of.name}?`}
      verb="Remove"
      losses={[
        'Its settings with their secrets',
        ...recordsLeft(of),
        'Certificates that are ordered through it refuse the removal',
      ]}
      action={{
        run: () => {
          const query = of.records.length === 0 ? {} : { leave_records: 'true' as const }
          return answer(api.DELETE('/api/dns-providers/{id}', { params: { path: { id: of.id }, query } }))
        },
        done: () => `${of.name} is removed`,
        renew: [keys.dnsProviders],
      }}
    />
  )
}
