import { Alert, Button, Code, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconDatabaseExport } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { type BackupReport, backupStanding, everyText, keptText, outcomeSince } from './backup-report.ts'
import { formatBytes, formatCount, formatDuration } from './format.ts'
import { notifyDone, notifyProblem } from './notifications.tsx'
import { Fact, QueryState, Section } from './page-parts.tsx'
import { RelativeTime, useNow } from './relative-time.tsx'
import { StatusBadge } from './status-badge.tsx'
import { useAction } from './use-action.ts'

/** Name of the cached report. */
const queryKey = ['backups'] as const

/** Milliseconds between two reads of the report, while a backup is made and otherwise. */
const [runningMs, idleMs] = [1500, 60_000]

interface BackupSectionProps {
  readonly read: () => Promise<BackupReport>
  /** Starts a backup and answers before it ends. */
  readonly run: () => Promise<BackupReport>
}

/** The scheduled backups of the service: where they are, how the last one ended, and a button that makes one now. */
export function BackupSection({ read, run }: BackupSectionProps) {
  const report = useQuery({
    queryKey,
    queryFn: read,
    refetchInterval: ({ state }) => (state.data?.is_running === true ? runningMs : idleMs),
  })
  const backup = useBackupNow(report.data, run)
  const isConfigured = report.data !== undefined && report.data.directory !== null
  return (
    <Section
      title="Backups"
      actions={
        isConfigured && (
          <Button
            variant="default"
            leftSection={<IconDatabaseExport size={16} aria-hidden />}
            loading={backup.isPending}
            onClick={backup.start}
          >
            Back up now
          </Button>
        )
      }
    >
      <QueryState query={report} lines={3} />
      {report.data !== undefined && (isConfigured ? <State report={report.data} /> : <NotConfigured />)}
    </Section>
  )
}

/** Starts a backup, and tells how it ended once the report says so. */
function useBackupNow(report: BackupReport | undefined, run: () => Promise<BackupReport>) {
  const client = useQueryClient()
  const before = useRef<BackupReport>(undefined)
  const start = useAction<BackupReport, BackupReport>({
    run,
    done: () => 'Backup started',
    onDone(started, known) {
      before.current = known
      client.setQueryData(queryKey, started)
    },
  })
  useEffect(() => {
    const known = before.current
    if (known === undefined || report === undefined || report === known || report.is_running) return
    before.current = undefined
    const { error, message } = outcomeSince(known, report)
    if (error === undefined) notifyDone(message)
    else notifyProblem(new Error(error))
  }, [report])
  return {
    isPending: start.isPending || report?.is_running === true,
    start: () => report !== undefined && start.mutate(report),
  }
}

function NotConfigured() {
  return (
    <Stack gap="sm">
      <Text c="dimmed">
        This service makes no backups by itself. Set <Code>BACKUP_DIR</Code> to a directory, best on another disk, and
        restart the service. Each backup is then restored into a temporary database and compared before it counts.
      </Text>
      <Code block tabIndex={0} aria-label="Sample settings">
        {'BACKUP_DIR=/var/backups/hearth\nBACKUP_EVERY=24h\nBACKUP_KEEP=7d,4w,6m'}
      </Code>
    </Stack>
  )
}

function State({ report }: { report: BackupReport }) {
  const { directory, every_seconds, keep, copied_to, next_at, last_backup, last_attempt } = report
  const now = useNow()
  const { tone, text } = backupStanding(report, now)
  const isDue = next_at !== null && new Date(next_at) <= now
  return (
    <Stack gap="md">
      {last_attempt !== null && last_attempt.error !== null && (
        <Alert color="red" icon={<IconAlertTriangle size={18} aria-hidden />} title="The last backup failed">
          <RelativeTime value={last_attempt.at} />: {last_attempt.error}
        </Alert>
      )}
      <dl className="hearth-facts" data-start>
        <Fact name="Status">
          <StatusBadge tone={tone}>{text}</StatusBadge>
        </Fact>
        <Fact name="Last backup">
          <RelativeTime value={last_backup?.made_at ?? null} absent="none yet" />
          {last_backup !== null && <Details backup={last_backup} />}
        </Fact>
        <Fact name="Next">
          {isDue || next_at === null ? 'due now' : <RelativeTime value={next_at} />}, {everyText(every_seconds)}
        </Fact>
        <Fact name="Kept">{keptText(keep)}</Fact>
        <Fact name="Directory">
          <span className="hearth-mono">{directory}</span>
        </Fact>
        {copied_to !== null && (
          <Fact name="Copied to">
            <span className="hearth-mono">{copied_to}</span>
          </Fact>
        )}
      </dl>
    </Stack>
  )
}

function Details({ backup }: { backup: NonNullable<BackupReport['last_backup']> }) {
  const { bytes, rows, seconds } = backup
  const parts = [
    formatBytes(bytes),
    ...(rows === null ? [] : [`${formatCount(rows, 'row')} verified`]),
    ...(seconds === null ? [] : [`took ${seconds < 1 ? 'less than 1 s' : formatDuration(seconds)}`]),
  ]
  return <span className="hearth-dimmed">, {parts.join(', ')}</span>
}
