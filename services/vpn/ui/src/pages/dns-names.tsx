import { Box, Button, Group, NativeSelect, Text } from '@mantine/core'
import {
  answer,
  DataTable,
  EmptyState,
  tableAnswer,
  TableSearch,
  type TableState,
  useSession,
  useTableState,
} from '@hearth/ui'
import { IconAddressBook, IconPlus, IconSearchOff, IconUpload } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type DnsRecord, keys } from '../api.ts'
import { DnsFrame } from '../dns/dns-frame.tsx'
import { ImportRecords } from '../dns/records/import-records.tsx'
import { ManagedNames } from '../dns/records/managed-names.tsx'
import { recordColumns, type RecordDialog } from '../dns/records/record-columns.tsx'
import { DeleteRecord, RecordForm } from '../dns/records/record-dialogs.tsx'
import { recordTypes } from '../dns/records/record-values.ts'

const recordsPerPage = 25

/** Names that the resolver itself answers, for devices at home. */
export function DnsNamesPage() {
  const { isAdmin } = useSession()
  const [dialog, setDialog] = useState<RecordDialog | { kind: 'create' | 'import' }>()
  const close = () => setDialog(undefined)
  const add = isAdmin && <AddButtons onOpen={(kind) => setDialog({ kind })} />
  return (
    <DnsFrame>
      <NameTable onOpen={isAdmin ? setDialog : undefined} add={add} />
      {dialog?.kind === 'create' && <RecordForm onClose={close} />}
      {dialog?.kind === 'import' && <ImportRecords onClose={close} />}
      {dialog?.kind === 'edit' && <RecordForm record={dialog.record} onClose={close} />}
      {dialog?.kind === 'delete' && <DeleteRecord record={dialog.record} onClose={close} />}
    </DnsFrame>
  )
}

function AddButtons({ onOpen }: { onOpen: (kind: 'create' | 'import') => void }) {
  return (
    <Group gap="xs">
      <Button variant="default" leftSection={<IconUpload size={16} aria-hidden />} onClick={() => onOpen('import')}>
        Import
      </Button>
      <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => onOpen('create')}>
        Add name
      </Button>
    </Group>
  )
}

function NameTable({ onOpen, add }: { onOpen: ((dialog: RecordDialog) => void) | undefined; add: React.ReactNode }) {
  const state = useTableState(['type'])
  const type = state.filters['type'] ?? ''
  const query = {
    limit: recordsPerPage,
    offset: (state.page - 1) * recordsPerPage,
    ...(state.search === '' ? {} : { search: state.search }),
    ...(type in recordTypes ? { type: type as DnsRecord['type'] } : {}),
  }
  const records = useQuery({
    queryKey: [...keys.dnsRecords, query],
    queryFn: () => answer(api.GET('/api/dns/records', { params: { query } })),
    placeholderData: keepPreviousData,
  })
  const isNarrowed = state.search !== '' || type !== ''
  const total = records.data?.total ?? 0
  return (
    <>
      {(total > 0 || isNarrowed) && <Toolbar state={state} type={type} add={add} />}
      <DataTable
        label="Local names"
        columns={recordColumns(onOpen)}
        state={state}
        pageSize={recordsPerPage}
        rowKey={(record) => record.id}
        answer={tableAnswer(records, records.data?.data, total)}
        empty={isNarrowed ? <NothingFound state={state} /> : <NoNames add={add} />}
      />
      {total > 0 && (
        <Text c="dimmed" size="sm" mt="sm">
          Local names stand before lists and upstreams. A rule that blocks a name stands before them.
        </Text>
      )}
      <Box mt="md">
        <ManagedNames search={state.search} />
      </Box>
    </>
  )
}

function Toolbar({ state, type, add }: { state: TableState; type: string; add: React.ReactNode }) {
  return (
    <search className="hearth-toolbar">
      <TableSearch state={state} label="Search names and values" />
      <NativeSelect
        aria-label="Type"
        value={type}
        onChange={(event) => state.change({ filter: { type: event.currentTarget.value } })}
        data={[
          { value: '', label: 'All types' },
          ...Object.entries(recordTypes).map(([value, { label }]) => ({ value, label })),
        ]}
      />
      <div className="toolbar-end">{add}</div>
    </search>
  )
}

function NoNames({ add }: { add: React.ReactNode }) {
  return (
    <EmptyState icon={IconAddressBook} title="No local names yet" action={add}>
      Give a name to your NAS, printer or camera: every connected device can then use the name instead of an address.
    </EmptyState>
  )
}

function NothingFound({ state }: { state: TableState }) {
  return (
    <EmptyState
      icon={IconSearchOff}
      title="No local name matches"
      action={
        <Button variant="default" onClick={() => state.change({ search: '', filter: { type: '' } })}>
          Show all names
        </Button>
      }
    />
  )
}
