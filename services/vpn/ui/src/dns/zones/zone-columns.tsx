import { type Column, formatCount, RelativeTime } from '@hearth/ui'
import { IconHelpCircle, IconPencil, IconTrash } from '@tabler/icons-react'
import type { DnsZone } from '../../api.ts'
import { RowMenu } from '../../sections/row-menu.tsx'
import { useQuestion } from '../explain/use-question.ts'

/** Actions on a zone. */
export type ZoneDialog = { kind: 'edit' | 'delete'; zone: DnsZone }

/** The columns of the table of zones; without `onOpen` there is nothing to do with a row. */
export function zoneColumns(onOpen: ((dialog: ZoneDialog) => void) | undefined): Column<DnsZone>[] {
  const actions: Column<DnsZone> = {
    key: 'row-actions',
    header: 'Actions',
    role: 'actions',
    render: (zone) => onOpen !== undefined && <ZoneActions zone={zone} onOpen={onOpen} />,
  }
  return onOpen === undefined ? columns : [...columns, actions]
}

const columns: Column<DnsZone>[] = [
  {
    key: 'zone',
    header: 'Zone',
    role: 'title',
    render: ({ zone }) => <span className="hearth-name wrap-anywhere">{zone}</span>,
  },
  {
    key: 'servers',
    header: 'Servers',
    render: ({ servers, state }) => (
      <ul className="zone-servers">
        {servers.map((server) => (
          <li key={server}>
            <span className="hearth-mono wrap-anywhere">{server}</span>
            <ServerState state={state.find((one) => one.server === server)} />
          </li>
        ))}
      </ul>
    ),
  },
]

function ServerState({ state }: { state: DnsZone['state'][number] | undefined }) {
  if (state === undefined) return null
  const { queries, average_ms: average, failing_since: since, last_error: error, healthy } = state
  const time = average === null ? '' : `, ${Math.round(average)} ms`
  if (since === null)
    return (
      <small className="hearth-dimmed">
        {queries === 0 ? 'not asked yet' : `${formatCount(queries, 'query', 'queries')}${time}`}
      </small>
    )
  return (
    <small className="zone-failing" data-tone={healthy ? undefined : 'bad'}>
      {healthy ? 'Missed answers' : 'Fails'} since <RelativeTime value={since} />
      {error !== null && `: ${error}`}
    </small>
  )
}

function ZoneActions({ zone, onOpen }: { zone: DnsZone; onOpen: (dialog: ZoneDialog) => void }) {
  const { explain } = useQuestion()
  return (
    <RowMenu
      label={`More for ${zone.zone}`}
      entries={[
        { label: 'Edit', icon: IconPencil, onClick: () => onOpen({ kind: 'edit', zone }) },
        {
          label: 'Explain this name',
          icon: IconHelpCircle,
          onClick: () => explain({ domain: zone.names[0] ?? zone.zone, client: '' }),
        },
        { label: 'Delete', icon: IconTrash, onClick: () => onOpen({ kind: 'delete', zone }), isDestructive: true },
      ]}
    />
  )
}
