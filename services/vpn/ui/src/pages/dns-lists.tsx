import { Alert, Button, Group, Text, Progress } from '@mantine/core'
import { DataTable, EmptyState, tableAnswer, useSession, answer, Section, useAction } from '@hearth/ui'
import {
  IconDownload,
  IconFileImport,
  IconListDetails,
  IconPlus,
  IconRefresh,
  IconAlertTriangle,
  IconCheck,
  IconLoader2,
} from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Blocklist, keys, api, type BlocklistUpdate, readBlocklists } from '../api.ts'
import { ImportFilter } from '../dns/import-filter.tsx'
import { DnsFrame } from '../dns/dns-frame.tsx'
import { listColumns, type ListDialog, UnsupportedLines } from '../dns/lists/list-columns.tsx'
import { DeleteList, ListForm } from '../dns/lists/list-dialogs.tsx'
import { isSettled, updateProgress, updateText } from '../dns/lists/list-words.ts'

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
  const [dialog, setDialog] = useState<ListDialog | { kind: 'create' | 'import' }>()
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
          <Button
            variant="default"
            leftSection={<IconFileImport size={16} aria-hidden />}
            onClick={() => setDialog({ kind: 'import' })}
          >
            Import
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
      {dialog?.kind === 'import' && <ImportFilter onClose={close} />}
      {dialog?.kind === 'create' && <ListForm onClose={close} />}
      {dialog?.kind === 'edit' && <ListForm list={dialog.list} onClose={close} />}
      {dialog?.kind === 'delete' && <DeleteList list={dialog.list} onClose={close} />}
      {dialog?.kind === 'unsupported' && <UnsupportedLines list={dialog.list} onClose={close} />}
    </div>
  )
}

/** A new install knows some lists, but has not downloaded them. */
const isUntouched = (lists: readonly Blocklist[] | undefined): boolean =>
  lists !== undefined && lists.length > 0 && lists.every(({ last_checked: checked }) => checked === null)

/** An update as it goes, list by list, and how it ended. */
function UpdateBanner({ update }: { update: BlocklistUpdate }) {
  const { done, of } = updateProgress(update)
  const isRunning = update.status === 'running'
  return (
    <Section
      title={isRunning ? 'Updating' : 'Updated'}
      actions={
        <span className="hearth-dimmed">
          {done} of {of}
        </span>
      }
    >
      <Progress
        value={of === 0 ? 100 : (done / of) * 100}
        animated={isRunning}
        aria-label={`${done} of ${of} lists are done`}
      />
      <ul className="update-list">
        {update.lists.map((part) => (
          <li key={part.id} data-failed={part.status === 'failed' || undefined}>
            <Sign part={part} />
            <span className="wrap-anywhere">{part.name}</span>
            <span className="hearth-dimmed">{updateText(part)}</span>
          </li>
        ))}
      </ul>
    </Section>
  )
}

function Sign({ part }: { part: BlocklistUpdate['lists'][number] }) {
  if (part.status === 'failed') return <IconAlertTriangle size={16} aria-label="failed" />
  if (!isSettled(part)) return <IconLoader2 size={16} aria-label="under way" />
  return <IconCheck size={16} aria-label="done" />
}

/** Updates all lists, or follows the update that runs; events report its progress. */
function useListUpdate() {
  const cache = useQueryClient()
  const { data } = useQuery<BlocklistUpdate | null>({
    queryKey: keys.listUpdate,
    queryFn: () => null,
    enabled: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const start = useAction<void, { data: BlocklistUpdate; message: string }>({
    run: () => answer(api.POST('/api/dns/blocklists/update')),
    done: ({ data: update, message }) => (update.status === 'done' ? message : 'The lists are being updated'),
    renew: [keys.blocklists, keys.dnsStatus, keys.dnsStats],
    onDone: ({ data: update }) =>
      cache.setQueryData<BlocklistUpdate | null>(keys.listUpdate, (known) => laterOf(known ?? undefined, update)),
  })
  return { start, update: data ?? undefined, isRunning: start.isPending || data?.status === 'running' }
}

/** The answer may come after the event that says how the same update ended. */
function laterOf(known: BlocklistUpdate | undefined, update: BlocklistUpdate): BlocklistUpdate {
  return known?.started_at === update.started_at && known.status === 'done' ? known : update
}
