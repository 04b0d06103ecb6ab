import { Stack, Text } from '@mantine/core'
import { type Column, DataTable, EmptyState, RelativeTime, Section, StatusBadge } from '@hearth/ui'
import { IconWorld } from '@tabler/icons-react'
import type { Schemas } from '../api.ts'

type CheckedName = Schemas['CheckedName']

/** The names of a site at each Caddy server; nothing for a site with one name at one server. */
export function NameList({ names, unchecked }: { names: readonly CheckedName[]; unchecked: string | null }) {
  if (names.length < 2 && unchecked === null) return null
  const servers = new Set(names.map(({ server }) => server))
  return (
    <Section title="Names">
      <Stack gap="sm">
        <DataTable
          label="Names"
          columns={servers.size > 1 ? [nameColumn, serverColumn, ...nameColumns] : [nameColumn, ...nameColumns]}
          rowKey={({ name, server }) => `${name} ${server}`}
          answer={{ rows: names, total: names.length, error: null, retry: () => undefined }}
          empty={
            <EmptyState icon={IconWorld} title="No names are checked">
              The site is not checked.
            </EmptyState>
          }
        />
        <Text c="dimmed" size="sm">
          The first name is requested in the interval of the site, and the certificates of the others are checked every
          ten minutes. {unchecked}
        </Text>
      </Stack>
    </Section>
  )
}

const nameColumn: Column<CheckedName> = {
  key: 'name',
  header: 'Name',
  role: 'title',
  render: ({ name }) => <span className="hearth-mono">{name}</span>,
}

const serverColumn: Column<CheckedName> = { key: 'server', header: 'Caddy server', render: ({ server }) => server }

const nameColumns: Column<CheckedName>[] = [
  {
    key: 'state',
    header: 'Last check',
    render: ({ checked_at: at, failure }) =>
      at === null ? (
        'Not checked yet'
      ) : (
        <StatusBadge tone={failure === null ? 'good' : 'bad'}>{failure === null ? 'Good' : 'Failed'}</StatusBadge>
      ),
  },
  {
    key: 'when',
    header: 'When',
    render: ({ checked_at: at }) => <RelativeTime value={at} absent="–" />,
  },
  { key: 'words', header: 'Came back', render: nameWords },
]

function nameWords({ failure, what, latency_ms: latency }: CheckedName): string {
  if (failure !== null) return failure.came_back
  if (latency === null) return '–'
  return what === 'request' ? `answered in ${latency} ms` : 'the certificate fits'
}
