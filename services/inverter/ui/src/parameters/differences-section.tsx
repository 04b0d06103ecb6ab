import {
  answer,
  type Column,
  DataTable,
  EmptyState,
  formatCount,
  RelativeTime,
  Section,
  StatusBadge,
  tableAnswer,
} from '@hearth/ui'
import { Button, NativeSelect } from '@mantine/core'
import { IconArrowBackUp, IconCircleCheck, IconGitCompare, IconRefresh } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { api, keys, type Snapshot, type SnapshotDifference, type SnapshotList } from '../api.ts'
import { IconButton, useAddressParameter } from '../page-elements.tsx'
import { beforeUpdate, chosenPair, originText, sideText, snapshotChoice } from './snapshot-texts.ts'

interface SectionProps {
  list: SnapshotList
  /** Reads all parameters, to compare with them. */
  onRead: () => void
  isReading: boolean
}

/** Differences between two snapshots, and who changed what. */
export function DifferencesSection({ list, onRead, isReading }: SectionProps) {
  const [from, setFrom] = useAddressParameter('from')
  const [to, setTo] = useAddressParameter('to')
  const pair = chosenPair(list.snapshots, { from, to })
  const complete = list.snapshots.filter(({ state }) => state === 'complete')
  const earlier = beforeUpdate(list.snapshots)
  const readNow = (
    <IconButton icon={IconRefresh} loading={isReading} onClick={onRead}>
      Compare with now
    </IconButton>
  )
  return (
    <Section title="Changes" actions={complete.length > 0 && readNow}>
      {pair === undefined ? (
        <EmptyState icon={IconGitCompare} title="Nothing to compare yet">
          {complete.length === 0
            ? 'Take a snapshot first. Later ones show what has changed since.'
            : 'There is one snapshot. Compare it with the parameters as they are now.'}
        </EmptyState>
      ) : (
        <>
          <div className="snapshot-pair">
            <Choice label="From" snapshots={complete} value={pair.from} onChange={setFrom} />
            <Choice label="To" snapshots={complete} value={pair.to} onChange={setTo} />
            {earlier !== undefined && pair.from.id !== earlier.id && (
              <Button variant="default" onClick={() => setFrom(String(earlier.id))}>
                Since firmware {earlier.firmware}
              </Button>
            )}
          </div>
          <Differences deviceId={list.device_id} pair={pair} />
        </>
      )}
    </Section>
  )
}

function Choice(props: {
  label: string
  snapshots: readonly Snapshot[]
  value: Snapshot
  onChange: (id: string) => void
}) {
  const { label, snapshots, value, onChange } = props
  return (
    <NativeSelect
      label={label}
      data={snapshots.map(snapshotChoice)}
      value={String(value.id)}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

function Differences({ deviceId, pair }: { deviceId: string; pair: { from: Snapshot; to: Snapshot } }) {
  const { from, to } = pair
  const found = useQuery({
    queryKey: [...keys.snapshots, deviceId, 'differences', from.id, to.id],
    queryFn: () =>
      answer(
        api.GET('/admin/api/devices/{device_id}/snapshot-differences', {
          params: { path: { device_id: deviceId }, query: { from: from.id, to: to.id } },
        }),
      ),
    placeholderData: keepPreviousData,
  })
  return (
    <>
      {found.data !== undefined && (
        <p className="hearth-dimmed snapshot-summary">
          {formatCount(found.data.differences.length, 'change')} in {found.data.compared} parameters
          {from.firmware !== to.firmware && `, firmware ${from.firmware ?? '–'} to ${to.firmware ?? '–'}`}
          {from.serial !== to.serial && '. The serial numbers differ: these are two inverters'}.
        </p>
      )}
      <DataTable
        label="Changes"
        columns={columnsFor(deviceId)}
        rowKey={({ name }) => name}
        answer={tableAnswer(found, found.data?.differences)}
        empty={
          <EmptyState icon={IconCircleCheck} title="No changes">
            Every parameter has the same value in both.
          </EmptyState>
        }
      />
    </>
  )
}

function columnsFor(deviceId: string): Column<SnapshotDifference>[] {
  return [
    {
      key: 'name',
      header: 'Parameter',
      role: 'title',
      render: (row) => (
        <div className="parameter-name">
          <span className="hearth-name">{row.name}</span>
          <small className="hearth-mono hearth-dimmed">{row.vendor_name}</small>
        </div>
      ),
    },
    { key: 'before', header: 'Before', numeric: true, render: (row) => sideText(row, 'before') },
    { key: 'after', header: 'After', numeric: true, render: (row) => <b>{sideText(row, 'after')}</b> },
    {
      key: 'origin',
      header: 'Who',
      render: (row) => {
        const { tone, text } = originText(row)
        return (
          <div className="snapshot-who">
            <StatusBadge tone={tone}>{text}</StatusBadge>
            {row.write !== null && (
              <small className="hearth-dimmed">
                <RelativeTime value={row.write.at} />
              </small>
            )}
          </div>
        )
      },
    },
    {
      key: 'write',
      header: 'Write',
      role: 'actions',
      render: (row) =>
        row.kind === 'setting' && row.before !== null ? (
          <Button
            component={Link}
            variant="default"
            size="xs"
            leftSection={<IconArrowBackUp size={14} aria-hidden />}
            href={writeAddress(deviceId, row.name, row.before)}
            aria-label={`Write back ${row.name}`}
          >
            Write back
          </Button>
        ) : null,
    },
  ]
}

/** Address of the form that writes a parameter, with the earlier value filled in. */
function writeAddress(deviceId: string, name: string, value: number | boolean | string): string {
  const query = new URLSearchParams({ tab: 'metrics', metric: name, device: deviceId, value: String(value) })
  return `/inverters?${query.toString()}`
}
