import { Button } from '@mantine/core'
import { IconKey, IconPlus } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { type Column, DataTable, type TableAnswer } from '../data-table.tsx'
import { EmptyState } from '../page-parts.tsx'
import { RelativeTime } from '../relative-time.tsx'
import { StatusBadge } from '../status-badge.tsx'
import {
  CreateToken,
  NewToken,
  RevokeToken,
  type TokenAdministration,
  type TokenRow,
  type TokenValues,
} from './token-dialogs.tsx'

interface TokenListProps<Token extends TokenRow, Values extends TokenValues> {
  admin: TokenAdministration<Token, Values>
  answer: TableAnswer<Token>
  /** Names the table. */
  label: string
  /** Further columns after the name. */
  columns: readonly Column<Token>[]
  /** Text under the title of the empty list. */
  purpose: string
  /** Arranges the button that creates a token, absent while the list is empty, and the table. */
  children: (parts: { create: ReactNode; table: ReactNode }) => ReactNode
}

type Dialog<Token> = 'create' | { revoke: Token } | { created: string }

/** API tokens with dialogs that create and revoke one. */
export function TokenList<Token extends TokenRow, Values extends TokenValues>(props: TokenListProps<Token, Values>) {
  const { admin, answer, label } = props
  const [dialog, setDialog] = useState<Dialog<Token>>()
  const close = () => setDialog(undefined)
  const create = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setDialog('create')}>
      Create token
    </Button>
  )
  const table = (
    <DataTable
      label={label}
      columns={tokenColumns(props.columns, (token) => setDialog({ revoke: token }))}
      rowKey={(token) => token.id}
      dimmed={isExpired}
      answer={answer}
      empty={
        <EmptyState icon={IconKey} title={`No ${label} yet`} action={create}>
          {props.purpose}
        </EmptyState>
      }
    />
  )
  return (
    <>
      {props.children({ create: (answer.rows?.length ?? 0) > 0 && create, table })}
      {dialog === 'create' && (
        <CreateToken admin={admin} onClose={close} onCreated={(created) => setDialog({ created })} />
      )}
      {typeof dialog === 'object' && 'created' in dialog && <NewToken value={dialog.created} onClose={close} />}
      {typeof dialog === 'object' && 'revoke' in dialog && (
        <RevokeToken admin={admin} token={dialog.revoke} onClose={close} />
      )}
    </>
  )
}

const isExpired = ({ expires_at: end }: TokenRow): boolean => end !== null && Date.parse(end) <= Date.now()

function tokenColumns<Token extends TokenRow>(
  further: readonly Column<Token>[],
  onRevoke: (token: Token) => void,
): Column<Token>[] {
  return [
    { key: 'name', header: 'Name', role: 'title', render: ({ name }) => <span className="hearth-name">{name}</span> },
    ...further,
    { key: 'used', header: 'Last used', render: (token) => <RelativeTime value={token.last_used_at} /> },
    {
      key: 'expires',
      header: 'Works until',
      render: (token) =>
        isExpired(token) ? (
          <StatusBadge tone="bad">Expired</StatusBadge>
        ) : (
          <RelativeTime value={token.expires_at} absent="no end" />
        ),
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
