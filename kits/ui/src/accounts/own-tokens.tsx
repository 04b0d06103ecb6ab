import { NativeSelect, Textarea } from '@mantine/core'
import type { Icon } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type Column, tableAnswer } from '../data-table.tsx'
import { StatusBadge, type Tone } from '../status-badge.tsx'
import type { TokenAdministration, TokenRow, TokenValues } from './token-dialogs.tsx'
import { TokenList } from './token-list.tsx'

/** A token that belongs to a user and may be bound to addresses. */
export interface OwnToken extends TokenRow {
  readonly prefix: string
  readonly permissions: string
  readonly ip_whitelist: readonly string[]
}

/** Permissions that a token may have, in the words of the service. */
export interface TokenPermissionChoice<Permissions extends string> {
  readonly value: Permissions
  /** In the form. */
  readonly label: string
  /** In the list. */
  readonly badge: string
  readonly icon: Icon
  readonly tone: Tone
  /** True for one that the user may not give, but may have given before. */
  readonly isListedOnly?: boolean
}

/** A token to create. */
export interface NewOwnToken<Permissions extends string> {
  readonly name: string
  readonly permissions: Permissions
  readonly expires: TokenValues['expires']
  readonly ip_whitelist: string[]
}

/** Calls of a service for the user's own tokens. Each throws an `ApiError`. */
export interface OwnTokensApi<Permissions extends string> {
  list(): Promise<readonly OwnToken[]>
  /** Creates a token; resolves with its value. */
  create(token: NewOwnToken<Permissions>): Promise<string>
  revoke(id: string): Promise<unknown>
}

interface OwnTokensProps<Permissions extends string> {
  api: OwnTokensApi<Permissions>
  /** From the least to the most; the first is proposed. */
  permissions: readonly [TokenPermissionChoice<Permissions>, ...TokenPermissionChoice<Permissions>[]]
}

interface Values extends TokenValues {
  permissions: string
  /** Addresses separated by commas or lines. */
  ip_whitelist: string
}

const queryKey = ['tokens']

/** The API tokens of the signed-in user: the list, and dialogs that create and revoke one. */
export function OwnTokens<Permissions extends string>({ api, permissions }: OwnTokensProps<Permissions>) {
  const tokens = useQuery({ queryKey, queryFn: () => api.list() })
  return (
    <TokenList
      label="API tokens"
      purpose="A token lets a program of yours use the API without your password."
      admin={administrationOf({ api, permissions })}
      columns={columnsOf(permissions)}
      answer={tableAnswer(tokens, tokens.data)}
    >
      {({ create, table }) => (
        <section aria-labelledby="tokens-title" className="hearth-table-section">
          <div className="hearth-card-head">
            <h2 id="tokens-title">API tokens</h2>
            {create}
          </div>
          {table}
        </section>
      )}
    </TokenList>
  )
}

function administrationOf<Permissions extends string>({
  api,
  permissions,
}: OwnTokensProps<Permissions>): TokenAdministration<OwnToken, Values> {
  const choices = permissions.filter(({ isListedOnly }) => isListedOnly !== true)
  return {
    title: 'Create API token',
    initialValues: { name: '', permissions: permissions[0].value, expires: '1y', ip_whitelist: '' },
    permissionFields: (form) => (
      <NativeSelect
        label="Permissions"
        data={choices.map(({ value, label }) => ({ value, label }))}
        {...form.getInputProps('permissions')}
      />
    ),
    furtherFields: (form) => (
      <Textarea
        label="Only from these addresses"
        description="Addresses or networks, separated by commas or lines; empty allows every address"
        autosize
        minRows={2}
        {...form.getInputProps('ip_whitelist')}
      />
    ),
    describe: (token) => `The token “${token.name}” (${token.prefix}…)`,
    create: ({ name, permissions: chosen, expires, ip_whitelist: list }) =>
      api.create({
        name,
        // The form offers no other.
        permissions: chosen as Permissions,
        expires,
        ip_whitelist: list.split(/[\s,]+/).filter((part) => part !== ''),
      }),
    revoke: ({ id }) => api.revoke(id),
    renew: [queryKey],
  }
}

function columnsOf(permissions: readonly TokenPermissionChoice<string>[]): Column<OwnToken>[] {
  return [
    { key: 'prefix', header: 'Begins with', render: (token) => <span className="hearth-mono">{token.prefix}…</span> },
    {
      key: 'permissions',
      header: 'Permissions',
      render: (token) => {
        const choice = permissions.find(({ value }) => value === token.permissions)
        if (choice === undefined) return token.permissions
        return (
          <StatusBadge tone={choice.tone} icon={choice.icon}>
            {choice.badge}
          </StatusBadge>
        )
      },
    },
    { key: 'from', header: 'From', render: (token) => token.ip_whitelist.join(', ') || 'everywhere' },
  ]
}
