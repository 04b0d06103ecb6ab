import { Button } from '@mantine/core'
import {
  answer,
  type Column,
  ConfirmDelete,
  DataTable,
  EmptyState,
  RelativeTime,
  Section,
  tableAnswer,
} from '@hearth/ui'
import { IconDevices } from '@tabler/icons-react'
import { useState } from 'react'
import { api, keys } from '../api.ts'
import { type PortalSession, usePortalSessions } from './read-access.ts'

/** Visitors who are signed in to protected sites. */
export function SessionSection() {
  const sessions = usePortalSessions()
  const [ending, setEnding] = useState<PortalSession>()
  return (
    <Section title="Signed in to sites">
      <DataTable
        label="Signed in to sites"
        columns={columns(setEnding)}
        rowKey={({ id }) => id}
        answer={tableAnswer(sessions, sessions.data)}
        empty={
          <EmptyState icon={IconDevices} title="Nobody is signed in">
            Visitors who sign in at the portal are listed here for twelve hours.
          </EmptyState>
        }
      />
      {ending !== undefined && (
        <ConfirmDelete
          opened
          onClose={() => setEnding(undefined)}
          title={`Sign ${ending.username} out?`}
          verb="Sign out"
          losses={[`The sign-in of ${ending.username} at ${ending.address}, at every protected site`]}
          action={{
            run: () => answer(api.DELETE('/api/v1/portal/sessions/{id}', { params: { path: { id: ending.id } } })),
            done: () => `${ending.username} is signed out`,
            renew: [keys.portalSessions],
          }}
        />
      )}
    </Section>
  )
}

function columns(onEnd: (session: PortalSession) => void): Column<PortalSession>[] {
  return [
    { key: 'user', header: 'User', role: 'title', render: ({ username }) => <b>{username}</b> },
    {
      key: 'address',
      header: 'Address',
      render: ({ address }) => <span className="hearth-mono">{address === '' ? 'unknown' : address}</span>,
    },
    { key: 'began', header: 'Signed in', render: (session) => <RelativeTime value={session.created_at} /> },
    { key: 'ends', header: 'Ends', render: (session) => <RelativeTime value={session.ends_at} /> },
    {
      key: 'actions',
      header: 'Actions',
      role: 'actions',
      render: (session) => (
        <Button
          size="xs"
          variant="default"
          c="var(--hearth-bad)"
          aria-label={`Sign ${session.username} out`}
          onClick={() => onEnd(session)}
        >
          Sign out
        </Button>
      ),
    },
  ]
}
