import { Button } from '@mantine/core'
import { answer, type Column, DataTable, EmptyState, PageHeader, RelativeTime, StatusBadge } from '@hearth/ui'
import { IconEye, IconKey, IconPencilBolt, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, keys, type Token } from '../api.ts'
import { CreateToken, type CreatedToken, ShowToken, RevokeToken } from '../tokens/token-dialogs.tsx'
import '../tokens/tokens.css'

type Dialog = 'create' | { revoke: Token } | { created: CreatedToken }

/** Access tokens of programs. */
export function TokensPage() {
  const [dialog, setDialog] = useState<Dialog>()
  const close = () => setDialog(undefined)
  const tokens = useQuery({
    queryKey: keys.tokens,
    queryFn: async () => (await answer(api.GET('/admin/api/tokens'))).tokens,
  })
  const create = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setDialog('create')}>
      Create token
    </Button>
  )
  return (
    <>
      <PageHeader
        title="Tokens"
        description="A token lets a program read values or command the battery without your password."
        actions={(tokens.data?.length ?? 0) > 0 && create}
      />
      <DataTable
        label="Tokens"
        columns={tokenColumns((token) => setDialog({ revoke: token }))}
        rowKey={({ id }) => id}
        dimmed={({ expired }) => expired}
        answer={{
          rows: tokens.data,
          total: tokens.data?.length ?? 0,
          error: tokens.error,
          retry: () => void tokens.refetch(),
        }}
        empty={
          <EmptyState icon={IconKey} title="No tokens yet" action={create}>
            Make one for each program, such as a home automation or a charging station. Then one can be revoked without
            the others.
          </EmptyState>
        }
      />
      {dialog === 'create' && <CreateToken onClose={close} onCreated={(created) => setDialog({ created })} />}
      {typeof dialog === 'object' && 'created' in dialog && <ShowToken token={dialog.created} onClose={close} />}
      {typeof dialog === 'object' && 'revoke' in dialog && <RevokeToken token={dialog.revoke} onClose={close} />}
    </>
  )
}

function tokenColumns(onRevoke: (token: Token) => void): Column<Token>[] {
  return [
    { key: 'name', header: 'Name', role: 'title', render: ({ name }) => <span className="hearth-name">{name}</span> },
    {
      key: 'role',
      header: 'May',
      render: ({ role }) =>
        role === 'read' ? (
          <StatusBadge tone="quiet" icon={IconEye}>
            Read
          </StatusBadge>
        ) : (
          <StatusBadge tone="warn" icon={IconPencilBolt}>
            Read and write
          </StatusBadge>
        ),
    },
    {
      key: 'expires',
      header: 'Works until',
      render: ({ expires_at, expired }) =>
        expired ? <StatusBadge tone="bad">Expired</StatusBadge> : <RelativeTime value={expires_at} absent="no end" />,
    },
    { key: 'used', header: 'Last used', render: ({ last_used_at }) => <RelativeTime value={last_used_at} /> },
    { key: 'created', header: 'Created', render: ({ created_at }) => <RelativeTime value={created_at} /> },
    {
      key: 'actions',
      header: 'Actions',
      role: 'actions',
      render: (token) => (
        <Button
          variant="subtle"
          size="xs"
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
