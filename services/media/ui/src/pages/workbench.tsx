import { Button } from '@mantine/core'
import { ApiError, EmptyState, ErrorState, LoadingLines, useDocumentTitle } from '@hearth/ui'
import { IconMoodEmpty, IconWaveSawTool } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from 'wouter'
import { fetchPath, keys, readJob, type Job } from '../api.ts'
import { useBeats } from '../job/use-beats.ts'
import { isDownloadable, titleOf } from '../jobs/job.ts'
import { Waiting } from '../progress/waiting.tsx'
import { WorkbenchView } from '../workbench/workbench-view.tsx'
import { parsePeaks } from '../workbench/peaks.ts'
import { readWorkbench } from '../workbench/use-session.ts'
import '../job/job.css'
import '../workbench/workbench.css'

/** The workbench of a finished sound, or of the sound of a video: parts, cue points, loops and exports. */
export function WorkbenchPage() {
  const { id = '' } = useParams()
  const job = useQuery({ queryKey: keys.job(id), queryFn: ({ signal }) => readJob(id, signal) })
  if (job.data === undefined && job.error === null) return <Opening />
  const isGone = job.error instanceof ApiError && job.error.status === 404
  if (job.data === undefined && !isGone) return <ErrorState error={job.error} onRetry={() => void job.refetch()} />
  if (job.data === undefined || !isDownloadable(job.data)) return <NothingToDo job={job.data} />
  return <Workbench key={id} job={job.data} />
}

function Opening() {
  return (
    <>
      <h1 className="visually-hidden">Workbench</h1>
      <LoadingLines lines={8} />
    </>
  )
}

function NothingToDo({ job }: { job: Job | undefined }) {
  return (
    <EmptyState
      icon={IconMoodEmpty}
      title={job === undefined ? 'There is no such download' : 'There is nothing to work on yet'}
      heading="h1"
      action={
        <Button component={Link} href={job === undefined ? '/' : `/job/${job.id}`}>
          {job === undefined ? 'All downloads' : 'Back to the download'}
        </Button>
      }
    >
      {job === undefined ? 'It was removed, or its time was over.' : 'The workbench opens once the file is there.'}
    </EmptyState>
  )
}

/** What is read of a job stays: it is the same file until the job goes. */
const lasting = { staleTime: Number.POSITIVE_INFINITY, retry: false } as const

function Workbench({ job }: { job: Job }) {
  const { id } = job
  useDocumentTitle(`${titleOf(job)}, workbench`, 'Media')
  const peaks = useQuery({
    ...lasting,
    queryKey: keys.peaks(id),
    gcTime: 60_000,
    queryFn: async ({ signal }) =>
      parsePeaks(await (await fetchPath(`/api/waveform/${id}/peaks`, { signal })).arrayBuffer()),
  })
  // Another tab may have changed it since it was read here.
  const session = useQuery({
    ...lasting,
    staleTime: 0,
    gcTime: 0,
    queryKey: keys.workbench(id),
    queryFn: () => readWorkbench(id),
  })
  const beats = useBeats(job)
  const failed = [peaks, session].find(({ error, data }) => error !== null && data === undefined)
  if (failed !== undefined)
    return (
      <>
        <h1 className="visually-hidden">Workbench</h1>
        <ErrorState error={failed.error} onRetry={() => void failed.refetch()} />
      </>
    )
  if (peaks.data === undefined || session.data === undefined)
    return (
      <>
        <h1 className="visually-hidden">Workbench</h1>
        <Waiting label="Drawing the waveform" />
      </>
    )
  if (peaks.data.duration < 0.1)
    return (
      <EmptyState icon={IconWaveSawTool} title="There is no sound to work on" heading="h1">
        The file is shorter than a tenth of a second.
      </EmptyState>
    )
  const hasNone = job.type !== 'audio' || beats.error !== null
  return <WorkbenchView job={job} loaded={session.data} peaks={peaks.data} found={hasNone ? null : beats.data} />
}
