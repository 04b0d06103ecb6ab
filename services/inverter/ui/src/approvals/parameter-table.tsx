import { type Column, DataTable, EmptyState, StatusBadge, tableAnswer, TableSearch, useTableState } from '@hearth/ui'
import { NativeSelect, Switch, Text, UnstyledButton } from '@mantine/core'
import { IconBolt, IconInfoCircle, IconListSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useAddressParameter } from '../address-parameter.ts'
import { type AdminDevice, keys, type Parameter, readParameters } from '../api.ts'
import { MetricDrawer } from '../metrics/metric-drawer.tsx'
import { Notice } from '../notice.tsx'
import './approvals.css'
import { kinds, findParameters, groupsOf, parameterViews, sortParameters } from './parameter-search.ts'
import { useApproval } from './use-approval.ts'

const pageSize = 25

/** All objects of the catalog: what is shown in readings, and what may be written. */
export function ParameterTable({ devices }: { devices: readonly AdminDevice[] }) {
  const parameters = useQuery({ queryKey: keys.parameters, queryFn: readParameters })
  const state = useTableState(['view', 'group'], 'name')
  const [metric, open] = useAddressParameter('metric')
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
          data={[...parameterViews]}
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
