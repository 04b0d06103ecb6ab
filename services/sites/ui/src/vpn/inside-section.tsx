import { type Column, DataTable, Fact, formatCount, Section } from '@hearth/ui'
import { IconPencil } from '@tabler/icons-react'
import { useState } from 'react'
import { IconButton } from '../controls/icon-button.tsx'
import { InsideDialog } from './link-dialogs.tsx'
import { recordNames } from './link-words.ts'
import type { VpnLink } from './read-link.ts'

type Conflict = VpnLink['conflicts'][number]

const columns: Column<Conflict>[] = [
  { key: 'name', header: 'Name', role: 'title', render: ({ name }) => <b>{name}</b> },
  { key: 'message', header: 'Why', render: ({ message }) => message },
]

/** What counts as inside: home networks, and where names of sites lead there. */
export function InsideSection({ link }: { link: VpnLink }) {
  const [isChanging, setChanging] = useState(false)
  const { home_networks: home, inside_addresses: inside, records, conflicts } = link
  const isLinked = link.address !== null
  return (
    <Section
      title="Inside"
      actions={
        <IconButton icon={IconPencil} onClick={() => setChanging(true)}>
          Change
        </IconButton>
      }
    >
      <dl className="hearth-facts" data-start>
        <Fact name="Home networks">
          {home.length === 0 ? 'None: sites for home are reached from the VPN alone' : home.join(', ')}
        </Fact>
        <Fact name="Caddy inside">{inside.length === 0 ? 'Not set' : inside.join(', ')}</Fact>
        <Fact name="Names">{recordNames[records]}</Fact>
        {isLinked && (
          <Fact name="Records">
            {formatCount(link.record_count, 'record')}
            {link.waiting_count > 0 && `, ${link.waiting_count} waiting`}
          </Fact>
        )}
      </dl>
      {conflicts.length > 0 && (
        <DataTable
          label="Names that do not lead to Caddy inside"
          columns={columns}
          rowKey={({ name }) => name}
          answer={{ rows: conflicts, total: link.conflict_count, error: null, retry: () => undefined }}
          empty={null}
        />
      )}
      {isChanging && <InsideDialog link={link} onClose={() => setChanging(false)} />}
    </Section>
  )
}
