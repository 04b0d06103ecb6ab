import { Radio, Stack } from '@mantine/core'
import {
  answer,
  type Column,
  PageHeader,
  RelativeTime,
  StatusBadge,
  tableAnswer,
  type TokenAdministration,
  TokenList,
  type TokenValues,
} from '@hearth/ui'
import { IconEye, IconPencilBolt } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { api, keys, type Token } from '../api.ts'

interface Values extends TokenValues {
  role: Token['role']
}

/** API tokens for programs. */
export function TokensPage() {
  const tokens = useQuery({
    queryKey: keys.tokens,
    queryFn: async () => (await answer(api.GET('/admin/api/tokens'))).tokens,
  })
  return (
    <TokenList
      label="tokens"
      purpose="Create one per client, such as home automation or a charging station, so that each can be revoked separately."
      admin={administration}
      columns={columns}
      answer={tableAnswer(tokens, tokens.data)}
    >
      {({ create, table }) => (
        <>
          <PageHeader
            title="Tokens"
            description="API tokens let clients read values or control the battery without your password."
            actions={create}
          />
          {table}
        </>
      )}
    </TokenList>
  )
}

const administration: TokenAdministration<Token, Values> = {
  title: 'Create token',
  initialValues: { name: '', role: 'read', expires: '1y' },
  permissionFields: (form) => (
    <Radio.Group label="Permission" {...form.getInputProps('role')}>
      <Stack gap="xs" mt={6}>
        <Radio value="read" label="Read" description="Values, devices and their states" />
        <Radio
          value="read_write"
          label="Read and write"
          description="Also approved metrics and battery control, while write access is on"
        />
      </Stack>
    </Radio.Group>
  ),
  describe: ({ name }) => `The token “${name}”`,
  create: async (body) => (await answer(api.POST('/admin/api/tokens', { body }))).token,
  revoke: ({ id }) => answer(api.DELETE('/admin/api/tokens/{id}', { params: { path: { id } } })),
  renew: [keys.tokens],
}

const columns: Column<Token>[] = [
  {
    key: 'role',
    header: 'Permission',
    render: ({ role }) => (
      <StatusBadge tone={role === 'read' ? 'quiet' : 'warn'} icon={role === 'read' ? IconEye : IconPencilBolt}>
        {role === 'read' ? 'Read' : 'Read and write'}
      </StatusBadge>
    ),
  },
  { key: 'created', header: 'Created', render: ({ created_at }) => <RelativeTime value={created_at} /> },
]
