import { Button, Group, Menu, Text } from '@mantine/core'
import {
  answer,
  ConfirmDelete,
  EmptyState,
  ErrorState,
  LoadingLines,
  StatusBadge,
  useNow,
  useTableState,
} from '@hearth/ui'
import {
  IconDots,
  IconDownload,
  IconHistory,
  IconPlayerPause,
  IconPlayerPlay,
  IconSearchOff,
  IconTrash,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Link } from 'wouter'
import { api, type DnsSettings, keys, readDnsSettings } from '../api.ts'
import { DnsFrame } from '../dns/dns-frame.tsx'
import { useQuestion } from '../dns/explain/use-question.ts'
import { LogFilters } from '../dns/log/log-filters.tsx'
import { exportAddress, isNarrowed, logFilters, toLogQuery } from '../dns/log/log-query.ts'
import { LogRows } from '../dns/log/log-rows.tsx'
import { useLog } from '../dns/log/use-log.ts'
import { RuleForm } from '../dns/rules/rule-dialogs.tsx'
import { type RuleRequest, useMakeRule } from '../dns/rules/use-rule-actions.ts'
import '../dns/log/log.css'

/** Every query, as it comes in; administrators only. */
export function DnsLogPage() {
  return (
    <DnsFrame>
      <Log />
    </DnsFrame>
  )
}

function Log() {
  const state = useTableState(logFilters)
  const { log, rows, total, isLive, pause, goOn, readOlder } = useLog(state)
  const now = useNow()
  const [draft, setDraft] = useState<RuleRequest>()
  const actions = useLogActions(setDraft)
  return (
    <>
      <LogFilters state={state} />
      <LogNotice />
      <Group justify="space-between" mb="xs" gap="xs">
        <Group gap="xs">
          <LiveButton isLive={isLive} onPause={pause} onGoOn={goOn} />
          <LiveState isLive={isLive} error={log.error} />
        </Group>
        <Group gap="xs">
          <Text component="output" c="dimmed" size="sm">
            {total.toLocaleString('en')} {total === 1 ? 'query' : 'queries'}
          </Text>
          <LogMenu exported={exportAddress(toLogQuery(state, now))} />
        </Group>
      </Group>
      {rows === undefined && log.error === null && <LoadingLines lines={8} />}
      {rows === undefined && log.error !== null && <ErrorState error={log.error} onRetry={() => void log.refetch()} />}
      {rows?.length === 0 && <NoQueries narrowed={isNarrowed(state)} />}
      {rows !== undefined && rows.length > 0 && <LogRows rows={rows} actions={actions} />}
      {log.hasNextPage && (
        <Group justify="center" mt="md">
          <Button variant="default" loading={log.isFetchingNextPage} onClick={readOlder}>
            Show older queries
          </Button>
        </Group>
      )}
      {draft !== undefined && <RuleForm start={draft} onClose={() => setDraft(undefined)} />}
    </>
  )
}

/** The same object as long as nothing about it changed, so that rows need not be drawn again. */
function useLogActions(edit: (rule: RuleRequest) => void) {
  const { mutate } = useMakeRule()
  const { explain } = useQuestion()
  // oxlint-disable-next-line react/exhaustive-deps -- `explain` works on the address as it is when it is called
  return useMemo(() => ({ make: (rule: RuleRequest) => mutate(rule), edit, explain }), [mutate, edit])
}

function LiveButton({ isLive, onPause, onGoOn }: { isLive: boolean; onPause: () => void; onGoOn: () => void }) {
  const Icon = isLive ? IconPlayerPause : IconPlayerPlay
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={<Icon size={14} aria-hidden />}
      onClick={isLive ? onPause : onGoOn}
    >
      {isLive ? 'Pause' : 'Go live'}
    </Button>
  )
}

function LiveState({ isLive, error }: { isLive: boolean; error: unknown }) {
  if (error !== null && isLive) return <StatusBadge tone="warn">Not current</StatusBadge>
  return isLive ? (
    <StatusBadge tone="good">Live</StatusBadge>
  ) : (
    <StatusBadge tone="quiet" icon={IconPlayerPause}>
      Paused
    </StatusBadge>
  )
}

const notices: Readonly<Record<DnsSettings['query_log'], string | undefined>> = {
  all: undefined,
  blocked: 'Only blocked queries are logged.',
  none: 'The log is off: new queries are not recorded.',
}

function LogNotice() {
  const settings = useQuery({ queryKey: keys.dnsSettings, queryFn: readDnsSettings })
  const notice = settings.data === undefined ? undefined : notices[settings.data.query_log]
  if (notice === undefined) return null
  return (
    <Text c="dimmed" mb="sm">
      {notice}{' '}
      <Link href="/dns/settings" className="hearth-link">
        Change that
      </Link>
    </Text>
  )
}

function LogMenu({ exported }: { exported: string }) {
  const [isPurging, setPurging] = useState(false)
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" size="xs" aria-label="More for the log">
            <IconDots size={14} aria-hidden />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item component="a" href={exported} download leftSection={<IconDownload size={16} aria-hidden />}>
            Save as CSV
          </Menu.Item>
          <Menu.Item
            c="var(--hearth-bad)"
            leftSection={<IconTrash size={16} aria-hidden />}
            onClick={() => setPurging(true)}
          >
            Empty the log
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isPurging && (
        <ConfirmDelete
          opened
          onClose={() => setPurging(false)}
          title="Empty the log?"
          verb="Empty the log"
          losses={['Every logged query', 'The statistics, and how often each rule decided']}
          action={{
            run: () => answer(api.POST('/api/dns/queries/purge', { body: {} })),
            renew: [keys.dnsLog, keys.dnsStats, keys.dnsRules, keys.overview],
          }}
        />
      )}
    </>
  )
}

function NoQueries({ narrowed }: { narrowed: boolean }) {
  if (narrowed)
    return (
      <EmptyState icon={IconSearchOff} title="No query matches">
        Domains are searched as parts of names; a peer needs its whole name.
      </EmptyState>
    )
  return (
    <EmptyState icon={IconHistory} title="No query yet">
      Queries appear here as soon as a device queries this resolver.
    </EmptyState>
  )
}
