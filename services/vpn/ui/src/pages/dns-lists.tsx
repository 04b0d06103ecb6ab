import { Alert, Button, Group, Text } from '@mantine/core'
import { DataTable, EmptyState, tableAnswer, useSession } from '@hearth/ui'
import { IconDownload, IconListDetails, IconPlus, IconRefresh } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Blocklist, keys } from '../api.ts'
import { DnsFrame } from '../dns/dns-frame.tsx'
import { type ListDialog, listColumns } from '../dns/lists/list-columns.tsx'
import { DeleteList, ListForm } from '../dns/lists/list-dialogs.tsx'
import { UnsupportedLines } from '../dns/lists/unsupported-lines.tsx'
import { UpdateBanner } from '../dns/lists/update-banner.tsx'
import { useListUpdate } from '../dns/lists/use-update.ts'
import { readBlocklists } from '../dns/read-dns.ts'

/** The lists of names that are blocked, downloaded again and again. */
export function DnsListsPage() {
  return (
    <DnsFrame>
      <Lists />
    </DnsFrame>
  )
}

function Lists() {
  const { isAdmin } = useSession()
  const [dialog, setDialog] = useState<ListDialog | { kind: 'create' }>()
  const { start, update, isRunning } = useListUpdate()
  const lists = useQuery({
    queryKey: keys.blocklists,
    queryFn: readBlocklists,
    refetchInterval: isRunning ? 3000 : false,
  })
  const close = () => setDialog(undefined)
  const add = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setDialog({ kind: 'create' })}>
      Add list
    </Button>
  )
  const hasAny = (lists.data?.length ?? 0) > 0
  return (
    <div className="hearth-stack">
      {isAdmin && hasAny && (
        <Group gap="xs">
          {add}
          <Button
            variant="default"
            leftSection={<IconRefresh size={16} aria-hidden />}
            loading={isRunning}
            onClick={() => start.mutate()}
          >
            Update all now
          </Button>
        </Group>
      )}
      {update === undefined && isAdmin && isUntouched(lists.data) && (
        <Alert
          role="note"
          color="gray"
          className="backend-banner"
          icon={<IconDownload aria-hidden />}
          title="No list has been downloaded yet"
        >
          <Text>
            Nothing is fetched before you say so. “Update all now” downloads the lists that are switched on; afterwards
            they are kept current by themselves.
          </Text>
        </Alert>
      )}
      {update !== undefined && <UpdateBanner update={update} />}
      <DataTable
        label="Block lists"
        columns={listColumns(isAdmin, setDialog)}
        rowKey={(list) => list.id}
        dimmed={(list) => !list.enabled}
        answer={tableAnswer(lists, lists.data)}
        empty={
          <EmptyState icon={IconListDetails} title="No lists" action={isAdmin && add}>
            A list names thousands of trackers and advertisers at once. Without one, only your own rules block anything.
          </EmptyState>
        }
      />
      {dialog?.kind === 'create' && <ListForm onClose={close} />}
      {dialog?.kind === 'edit' && <ListForm list={dialog.list} onClose={close} />}
      {dialog?.kind === 'delete' && <DeleteList list={dialog.list} onClose={close} />}
      {dialog?.kind === 'unsupported' && <UnsupportedLines list={dialog.list} onClose={close} />}
    </div>
  )
}

/** A new install knows some lists, but has asked nobody for them. */
const isUntouched = (lists: readonly Blocklist[] | undefined): boolean =>
  lists !== undefined && lists.length > 0 && lists.every(({ last_checked: checked }) => checked === null)
