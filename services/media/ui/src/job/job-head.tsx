import { Alert, Button, Group, Text, Title } from '@mantine/core'
import {
  IconAlertTriangle,
  IconArrowLeft,
  IconBan,
  IconDownload,
  IconExternalLink,
  IconFileText,
  IconPin,
  IconPinnedOff,
  IconRefresh,
  IconScissors,
} from '@tabler/icons-react'
import { Link } from 'wouter'
import { ActionButton } from '../buttons.tsx'
import { helpFor } from '../jobs/failure-help.ts'
import { RemedyButton } from '../jobs/remedy-button.tsx'
import { isActive, isDownloadable, isFailed, titleOf, type LiveJob } from '../jobs/job.ts'
import { originalOf, platformNames } from '../jobs/job-labels.ts'
import { JobFacts, JobProgress, JobStatusBadge } from '../jobs/job-facts.tsx'
import { SaveAs } from './save-as.tsx'
import { Thumbnail } from '../jobs/thumbnail.tsx'
import { filePath, useDownloadButton, useJobActions, usePin } from '../jobs/use-job-actions.ts'

/** Title, status and actions of a job. */
export function JobHead({ job }: { job: LiveJob }) {
  // Its picture stands below, with the player.
  const isFilm = job.type === 'video' && isDownloadable(job)
  return (
    <header className="job-head">
      <Link href="/" className="back-link">
        <IconArrowLeft size={16} aria-hidden /> Downloads
      </Link>
      <div className="job-head-body" data-plain={isFilm || undefined}>
        {!isFilm && <Thumbnail job={job} />}
        <div className="job-head-words">
          <Title order={1}>{titleOf(job)}</Title>
          {job.video_meta_hover !== null && (
            <Text size="sm" c="dimmed">
              {job.video_meta_hover.replaceAll(' | ', ' · ')}
            </Text>
          )}
          <JobFacts job={job} />
          <Group gap="sm" mt={4}>
            <JobStatusBadge job={job} />
            <Buttons job={job} />
          </Group>
          {isDownloadable(job) && originalOf(job) !== undefined && (
            <Text size="sm" c="dimmed">
              The original is {originalOf(job)}, as the platform has it. The MP3 is re-encoded from it and plays
              everywhere.
            </Text>
          )}
        </div>
      </div>
      {isActive(job) && (
        <div className="hearth-card">
          <JobProgress job={job} />
        </div>
      )}
      {isFailed(job) && <Failure job={job} />}
    </header>
  )
}

function Buttons({ job }: { job: LiveJob }) {
  const { cancel, retry } = useJobActions()
  const saving = useDownloadButton()
  return (
    <>
      {isDownloadable(job) && (
        <ActionButton icon={IconDownload} variant="filled" {...saving(filePath(job))}>
          Download {job.type === 'audio' ? 'MP3' : 'video'}
        </ActionButton>
      )}
      {isDownloadable(job) && job.type === 'audio' && <SaveAs job={job} />}
      {isDownloadable(job) && <PinButton job={job} />}
      {isDownloadable(job) && (
        <Button
          component={Link}
          href={`/job/${job.id}/workbench`}
          variant="default"
          leftSection={<IconScissors size={16} aria-hidden />}
        >
          Workbench
        </Button>
      )}
      {isFailed(job) && (
        <ActionButton icon={IconRefresh} variant="filled" loading={retry.isPending} onClick={() => retry.mutate(job)}>
          Try again
        </ActionButton>
      )}
      {isActive(job) && (
        <ActionButton icon={IconBan} loading={cancel.isPending} onClick={() => cancel.mutate(job)}>
          Cancel
        </ActionButton>
      )}
      <Button
        component="a"
        variant="default"
        href={job.url}
        target="_blank"
        rel="noreferrer noopener"
        leftSection={<IconExternalLink size={16} aria-hidden />}
      >
        Open on {platformNames[job.platform]}
      </Button>
    </>
  )
}

function PinButton({ job }: { job: LiveJob }) {
  const pin = usePin([job.id])
  return (
    <ActionButton
      icon={job.pinned ? IconPinnedOff : IconPin}
      loading={pin.isPending}
      onClick={() => pin.mutate(!job.pinned)}
    >
      {job.pinned ? 'Unpin' : 'Pin'}
    </ActionButton>
  )
}

/** Reason why a job ended without a file, the one thing to do, and the report. */
function Failure({ job }: { job: LiveJob }) {
  const saving = useDownloadButton()
  const { retry } = useJobActions()
  const help = helpFor(job)
  const isError = job.status === 'error'
  return (
    <Alert
      className="hearth-problem"
      color={isError ? 'red' : 'gray'}
      variant="light"
      icon={isError ? <IconAlertTriangle aria-hidden /> : <IconBan aria-hidden />}
      title={isError ? (job.message ?? 'The download failed') : 'This download was cancelled'}
    >
      {help.text}
      {isError && (
        <Group gap="xs" mt="sm">
          <RemedyButton remedy={help.remedy} isBusy={retry.isPending} onRetry={() => retry.mutate(job)} size="xs" />
          <ActionButton icon={IconFileText} size="xs" {...saving(`/api/jobs/${job.id}/report`)}>
            Download report
          </ActionButton>
        </Group>
      )}
    </Alert>
  )
}
