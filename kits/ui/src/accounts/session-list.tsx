import { Button } from '@mantine/core'
import { IconDevices } from '@tabler/icons-react'
import { useState } from 'react'
import { ConfirmDelete } from '../confirm-delete.tsx'
import { type Column, DataTable, type TableAnswer } from '../data-table.tsx'
import { EmptyState } from '../page-parts.tsx'
import { RelativeTime } from '../relative-time.tsx'
import { StatusBadge } from '../status-badge.tsx'

/** A session as the API lists it. */
export interface SessionRow {
  id: string
  is_current: boolean
  device: string | null
  address: string | null
  created_at: string
  last_used_at: string
}

interface SessionListProps {
  answer: TableAnswer<SessionRow>
  end: (id: string) => Promise<unknown>
  /** Cached answers to read again afterwards. */
  renew: readonly (readonly unknown[])[]
}

/** The sessions of the signed-in user, with a button that ends one; this one ends by signing out. */
export function SessionList({ answer, end, renew }: SessionListProps) {
  const [ending, setEnding] = useState<SessionRow>()
  const [isOpen, setOpen] = useState(false)
  const ask = (session: SessionRow) => {
    setEnding(session)
    setOpen(true)
  }
  return (
    <section aria-labelledby="sessions-title" className="hearth-table-section">
      <div className="hearth-card-head">
        <h2 id="sessions-title">Sessions</h2>
      </div>
      <DataTable
        label="Sessions"
        columns={columns(ask)}
        rowKey={(session) => session.id}
        answer={answer}
        empty={
          <EmptyState icon={IconDevices} title="No sessions">
            Browsers that are signed in are listed here.
          </EmptyState>
        }
      />
      {ending !== undefined && (
        <ConfirmDelete
          opened={isOpen}
          onClose={() => setOpen(false)}
          title="End this session?"
          verb="End session"
          losses={[`The sign-in of ${nameOf(ending)}${ending.address === null ? '' : ` at ${ending.address}`}`]}
          action={{ run: () => end(ending.id), done: () => 'Session ended', renew }}
        />
      )}
    </section>
  )
}

const nameOf = ({ device }: SessionRow): string => device ?? 'an unknown device'

function columns(onEnd: (session: SessionRow) => void): Column<SessionRow>[] {
  return [
    {
      key: 'device',
      header: 'Device',
      role: 'title',
      render: ({ device }) => <span className="hearth-name">{device ?? 'Unknown device'}</span>,
    },
    {
      key: 'address',
      header: 'Address',
      render: ({ address }) => <span className="hearth-mono">{address ?? 'unknown'}</span>,
    },
    { key: 'started', header: 'Signed in', render: (session) => <RelativeTime value={session.created_at} /> },
    { key: 'used', header: 'Last seen', render: (session) => <RelativeTime value={session.last_used_at} /> },
    {
      key: 'actions',
      header: 'Actions',
      role: 'actions',
      render: (session) =>
        session.is_current ? (
          <StatusBadge tone="good">This one</StatusBadge>
        ) : (
          <Button
            size="xs"
            variant="default"
            c="var(--hearth-bad)"
            aria-label={`End the session of ${nameOf(session)}`}
            onClick={() => onEnd(session)}
          >
            End
          </Button>
        ),
    },
  ]
}
