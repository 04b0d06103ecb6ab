import { Button } from '@mantine/core'
import { answer, type Column, DataTable, EmptyState, RelativeTime, StatusBadge } from '@hearth/ui'
import { IconEye, IconKey, IconPencilBolt, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { components } from '../api.gen.ts'
import { api, keys, type Token } from '../api.ts'
import { CreateToken, NewToken, RevokeToken } from './token-dialogs.tsx'

type Dialog = 'create' | { revoke: Token } | { created: components['schemas']['TokenCreated'] }

/** The signed-in user's API tokens. */
export function TokenSection() {
  const [dialog, setDialog] = useState<Dialog>()
  const close = () => setDialog(undefined)
  const tokens = useQuery({ queryKey: keys.tokens, queryFn: () => answer(api.GET('/api/session/tokens')) })
  const create = (
    <Button variant="default" leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setDialog('create')}>
      Create token
    </Button>
  )
  const rows = tokens.data?.data
  return (
    <section aria-labelledby="tokens-title" className="token-section">
      <div className="hearth-card-head">
        <h2 id="tokens-title">API tokens</h2>
        {rows !== undefined && rows.length > 0 && create}
      </div>
      <DataTable
        label="API tokens"
        columns={tokenColumns((token) => setDialog({ revoke: token }))}
        rowKey={(token) => token.id}
        answer={{
          rows,
          total: tokens.data?.total ?? 0,
          error: tokens.error,
          retry: () => void tokens.refetch(),
        }}
        empty={
          <EmptyState icon={IconKey} title="No API tokens" action={create}>
            A token lets a program of yours use the API without your password.
          </EmptyState>
        }
      />
      {dialog === 'create' && <CreateToken onClose={close} onCreated={(created) => setDialog({ created })} />}
      {typeof dialog === 'object' && 'created' in dialog && <NewToken token={dialog.created} onClose={close} />}
      {typeof dialog === 'object' && 'revoke' in dialog && <RevokeToken token={dialog.revoke} onClose={close} />}
    </section>
  )
}

function tokenColumns(onRevoke: (token: Token) => void): Column<Token>[] {
  return [
    {
      key: 'name',
      header: 'Name',
      role: 'title',
      render: (token) => <span className="hearth-name">{token.name}</span>,
    },
    { key: 'prefix', header: 'Begins with', render: (token) => <span className="hearth-mono">{token.prefix}…</span> },
    {
      key: 'permissions',
      header: 'Permissions',
      render: ({ permissions }) => (
        <StatusBadge
          tone={permissions === 'full' ? 'accent' : 'quiet'}
          icon={permissions === 'full' ? IconPencilBolt : IconEye}
        >
          {permissions === 'full' ? 'Full' : 'Read only'}
        </StatusBadge>
      ),
    },
    { key: 'from', header: 'From', render: (token) => token.ip_whitelist.join(', ') || 'everywhere' },
    { key: 'used', header: 'Last used', render: (token) => <RelativeTime value={token.last_used_at} /> },
    {
      key: 'expires',
      header: 'Works until',
      render: (token) => <RelativeTime value={token.expires_at} absent="no end" />,
    },
    {
      key: 'actions',
      header: 'Actions',
      role: 'actions',
      render: (token) => (
        <Button
          size="xs"
          variant="default"
          c="var(--hearth-bad)"
          aria-label={`Revoke ${token.name}`}
          onClick={() => onRevoke(token)}
        >
          Revoke
        </Button>
      ),
    },
  ]
}
