import {
  answer,
  type Column,
  DataTable,
  EmptyState,
  notifyDone,
  notifyProblem,
  StatusBadge,
  tableAnswer,
  TableSearch,
  useTableState,
} from '@hearth/ui'
import { NativeSelect, Switch, Text, UnstyledButton } from '@mantine/core'
import { IconBolt, IconInfoCircle, IconListSearch } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useSearchParams } from 'wouter'
import { type AdminDevice, api, keys, type Parameter, readParameters } from '../api.ts'
import { MetricDrawer } from '../metrics/metric-drawer.tsx'
import { Notice } from '../page-elements.tsx'
import './approvals.css'
import { kinds, findParameters, groupsOf, parameterViews, sortParameters } from './parameter-search.ts'

const pageSize = 25

/** All objects of the catalog: what is shown in readings, and what may be written. */
export function ParameterTable({ devices }: { devices: readonly AdminDevice[] }) {
  const parameters = useQuery({ queryKey: keys.parameters, queryFn: readParameters })
  const state = useTableState(['view', 'group'], 'name')
  const [metric, open] = useOpenMetric()
  const { view = '', group = '' } = state.filters
  const all = parameters.data ?? []
  const found = sortParameters(findParameters(all, { search: state.search, view, group }), state.sort)
  const opened = all.find(({ name }) => name === metric)
  return (
    <>
      <Notice color="gray" icon={IconInfoCircle}>
        Limits are those of the data type, not safe operating limits: the inverter accepts values that damage it.
        Approve only what you intend to write.
      </Notice>
      <div className="hearth-toolbar">
        <TableSearch state={state} label="Search metrics" />
        <NativeSelect
          aria-label="View"
          data={parameterViews.map(({ value, label }) => ({ value, label }))}
          value={view}
          onChange={(event) => state.change({ filter: { view: event.currentTarget.value } })}
        />
        <NativeSelect
          aria-label="Group"
          data={[{ value: '', label: 'All groups' }, ...groupsOf(all)]}
          value={group}
          onChange={(event) => state.change({ filter: { group: event.currentTarget.value } })}
        />
        <Text component="output" className="hearth-dimmed parameter-count">
          {parameters.data === undefined ? '' : `${found.length} of ${all.length}`}
        </Text>
      </div>
      <DataTable
        label="Metrics and actions"
        columns={useColumns(open)}
        rowKey={({ name }) => name}
        state={state}
        pageSize={pageSize}
        answer={tableAnswer(
          parameters,
          parameters.data && found.slice((state.page - 1) * pageSize, state.page * pageSize),
          found.length,
        )}
        empty={
          <EmptyState icon={IconListSearch} title="Nothing matches">
            Search for part of a name, such as “soc” or “p_rec”, or choose another group.
          </EmptyState>
        }
      />
      {opened !== undefined && <MetricDrawer parameter={opened} devices={devices} onClose={() => open(undefined)} />}
    </>
  )
}

/** The metric that is open, in the address. A value that the address proposes belongs to that metric alone. */
function useOpenMetric(): [string | null, (name: string | undefined) => void] {
  const [params, setParams] = useSearchParams()
  const open = (name: string | undefined) =>
    setParams(
      (present) => {
        const next = new URLSearchParams(present)
        next.delete('value')
        next.delete('metric')
        if (name !== undefined) next.set('metric', name)
        return next
      },
      { replace: true },
    )
  return [params.get('metric'), open]
}

function useColumns(open: (name: string) => void): Column<Parameter>[] {
  const approval = useApproval()
  const toggle = (kind: 'exposed' | 'approved', { name }: Parameter, value: boolean) =>
    approval.mutate({ name, kind, value })
  return [
    {
      key: 'name',
      header: 'Name',
      sort: 'name',
      role: 'title',
      render: (row) => (
        <div className="parameter-name">
          <UnstyledButton className="hearth-name" onClick={() => open(row.name)}>
            {row.name}
          </UnstyledButton>
          {row.is_action && (
            <StatusBadge tone="accent" icon={IconBolt}>
              Action
            </StatusBadge>
          )}
          <small className="hearth-mono hearth-dimmed">{row.vendor_name}</small>
        </div>
      ),
    },
    { key: 'group', header: 'Group', sort: 'group', role: 'wide', render: (row) => row.group },
    { key: 'unit', header: 'Unit', render: (row) => row.unit ?? '–' },
    { key: 'type', header: 'Type', role: 'wide', render: (row) => kinds[row.value_type] },
    {
      key: 'exposed',
      header: 'Shown in readings',
      render: (row) => (
        <Switch
          aria-label={`${row.name} is shown in readings`}
          checked={row.exposed}
          disabled={row.is_action}
          onChange={(event) => toggle('exposed', row, event.currentTarget.checked)}
        />
      ),
    },
    {
      key: 'approved',
      header: 'Writable',
      render: (row) =>
        row.writable ? (
          <Switch
            aria-label={`${row.name} is writable`}
            color="yellow"
            checked={row.approved}
            onChange={(event) => toggle('approved', row, event.currentTarget.checked)}
          />
        ) : (
          <span className="hearth-dimmed">read only</span>
        ),
    },
  ]
}

/** One switch that was moved. */
interface ApprovalSwitch {
  name: string
  kind: 'exposed' | 'approved'
  value: boolean
}

/**
 * Saves a switch at once. The page shows it before the server has answered and takes it back when that fails; switches are
 * sent one after another, because what is shown is saved as a whole list.
 */
function useApproval() {
  const cache = useQueryClient()
  const write = ({ name, kind, value }: ApprovalSwitch) =>
    cache.setQueryData<Parameter[]>(keys.parameters, (old) =>
      old?.map((parameter) => (parameter.name === name ? { ...parameter, [kind]: value } : parameter)),
    )
  return useMutation({
    scope: { id: 'approvals' },
    networkMode: 'always',
    onMutate: write,
    mutationFn: (change: ApprovalSwitch) => save(change, cache.getQueryData<Parameter[]>(keys.parameters) ?? []),
    onSuccess: (_, { name, kind, value }) => notifyDone(`${name} ${outcomes[kind][value ? 'on' : 'off']}`),
    onError: (error, change) => {
      write({ ...change, value: !change.value })
      notifyProblem(error)
    },
  })
}

const outcomes = {
  exposed: { on: 'is shown in readings', off: 'is no longer shown in readings' },
  approved: { on: 'is writable', off: 'is no longer writable' },
} as const

async function save({ name, kind, value }: ApprovalSwitch, parameters: readonly Parameter[]): Promise<unknown> {
  if (kind === 'approved')
    return answer(
      api.PATCH('/admin/api/parameters', {
        body: value ? { approve: [name], revoke: [] } : { approve: [], revoke: [name] },
      }),
    )
  const shown = parameters.filter(({ exposed }) => exposed).map((parameter) => parameter.name)
  const others = shown.filter((other) => other !== name)
  return answer(api.PUT('/admin/api/parameters', { body: { exposed_names: value ? [...others, name] : others } }))
}
