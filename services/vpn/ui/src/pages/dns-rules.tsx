import { Button, NativeSelect, Text } from '@mantine/core'
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
import { IconListCheck, IconPlus, IconSearchOff } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type DnsRule, keys } from '../api.ts'
import { DnsFrame } from '../dns/dns-frame.tsx'
import { type RuleDialog, ruleColumns } from '../dns/rules/rule-columns.tsx'
import { DeleteRule, RuleForm } from '../dns/rules/rule-dialogs.tsx'

const rulesPerPage = 25

/** The operator's own rules; they stand before all lists. */
export function DnsRulesPage() {
  const { isAdmin } = useSession()
  const [dialog, setDialog] = useState<RuleDialog | { kind: 'create' }>()
  const close = () => setDialog(undefined)
  const add = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setDialog({ kind: 'create' })}>
      Add rule
    </Button>
  )
  return (
    <DnsFrame>
      <RuleTable onOpen={isAdmin ? setDialog : undefined} add={isAdmin && add} />
      {dialog?.kind === 'create' && <RuleForm onClose={close} />}
      {dialog?.kind === 'edit' && <RuleForm rule={dialog.rule} onClose={close} />}
      {dialog?.kind === 'delete' && <DeleteRule rule={dialog.rule} onClose={close} />}
    </DnsFrame>
  )
}

function RuleTable({ onOpen, add }: { onOpen: ((dialog: RuleDialog) => void) | undefined; add: React.ReactNode }) {
  const state = useTableState(['action', 'client'])
  const query = {
    limit: rulesPerPage,
    offset: (state.page - 1) * rulesPerPage,
    ...(state.search === '' ? {} : { search: state.search }),
    ...(state.filters['action'] ? { action: state.filters['action'] as DnsRule['action'] } : {}),
    ...(state.filters['client'] ? { client: state.filters['client'] } : {}),
  }
  const rules = useQuery({
    queryKey: [...keys.dnsRules, query],
    queryFn: () => answer(api.GET('/api/dns/rules', { params: { query } })),
    placeholderData: keepPreviousData,
  })
  const isNarrowed = state.search !== '' || Object.values(state.filters).some((value) => value !== '')
  return (
    <>
      <RuleToolbar state={state} add={add} />
      <DataTable
        label="Rules"
        columns={ruleColumns(onOpen)}
        state={state}
        pageSize={rulesPerPage}
        rowKey={(rule) => rule.id}
        dimmed={(rule) => !rule.enabled}
        answer={tableAnswer(rules, rules.data?.data, rules.data?.total ?? 0)}
        empty={isNarrowed ? <NothingFound state={state} /> : <NoRules add={add} />}
      />
      {(rules.data?.total ?? 0) > 0 && (
        <Text c="dimmed" size="sm" mt="sm">
          A rule for one peer stands before one for everyone, a longer name before a shorter one, and both before the
          lists.
        </Text>
      )}
    </>
  )
}

function RuleToolbar({ state, add }: { state: TableState; add: React.ReactNode }) {
  const client = state.filters['client'] ?? ''
  return (
    <search className="hearth-toolbar">
      <TableSearch state={state} label="Search domains" />
      <NativeSelect
        aria-label="What rules do"
        value={state.filters['action'] ?? ''}
        onChange={(event) => state.change({ filter: { action: event.currentTarget.value } })}
        data={[
          { value: '', label: 'Block and allow' },
          { value: 'block', label: 'Block' },
          { value: 'allow', label: 'Allow' },
        ]}
      />
      {client !== '' && (
        <Button variant="default" onClick={() => state.change({ filter: { client: '' } })}>
          Only for {client} ✕
        </Button>
      )}
      <div className="toolbar-end">{add}</div>
    </search>
  )
}

function NoRules({ add }: { add: React.ReactNode }) {
  return (
    <EmptyState icon={IconListCheck} title="No rules yet" action={add}>
      The lists alone decide. A rule blocks or allows a domain for everyone or for one peer, and stands before every
      list.
    </EmptyState>
  )
}

function NothingFound({ state }: { state: TableState }) {
  return (
    <EmptyState
      icon={IconSearchOff}
      title="No rule matches"
      action={
        <Button variant="default" onClick={() => state.change({ search: '', filter: { action: '', client: '' } })}>
          Show all rules
        </Button>
      }
    />
  )
}
