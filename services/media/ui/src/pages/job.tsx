import { Button } from '@mantine/core'
import { ApiError, EmptyState, ErrorState, LoadingLines, useDocumentTitle } from '@hearth/ui'
import { IconMoodEmpty } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useParams } from 'wouter'
import { keys, readJob } from '../api.ts'
import { AudioEditor } from '../job/audio-editor.tsx'
import { DetailsCard } from '../job/details-card.tsx'
import { JobHead } from '../job/job-head.tsx'
import { ShareCard } from '../job/share-card.tsx'
import { SoundCard } from '../job/sound-card.tsx'
import { StemsCard } from '../job/stems-card.tsx'
import { TempoCard } from '../job/tempo-card.tsx'
import { VideoPlayer } from '../job/video-player.tsx'
import { TagsCard } from '../library/tags-card.tsx'
import { isDownloadable, titleOf, type LiveJob } from '../jobs/job.ts'
import { filePath, useDownload } from '../jobs/use-job-actions.ts'
import { KeysHelp, useKeys, type KeyHelp } from '../keyboard/keys.tsx'
import type { JobBook } from '../live/live-changes.ts'
import '../job/job.css'
import '../jobs/jobs.css'

/** One download: how it goes, and what can be made of it. */
export function JobPage() {
  const { id = '' } = useParams()
  const job = useJob(id)
  if (job.data !== undefined) return <JobView key={job.data.id} job={job.data} />
  if (job.error === null)
    return (
      <>
        <h1 className="visually-hidden">Download</h1>
        <LoadingLines lines={8} />
      </>
    )
  if (job.error instanceof ApiError && job.error.status === 404)
    return (
      <EmptyState
        icon={IconMoodEmpty}
        title="There is no such download"
        heading="h1"
        action={
          <Button component={Link} href="/">
            All downloads
          </Button>
        }
      >
        It was removed, or its time was over.
      </EmptyState>
    )
  return <ErrorState error={job.error} onRetry={() => void job.refetch()} />
}

/** The job as the list knows it, until it is read; events keep it current. */
function useJob(id: string) {
  const cache = useQueryClient()
  return useQuery<LiveJob>({
    queryKey: keys.job(id),
    queryFn: ({ signal }) => readJob(id, signal),
    placeholderData: () => cache.getQueryData<JobBook>(keys.jobs)?.jobs.find((job) => job.id === id),
  })
}

/** The keys of a job's page, for the help. */
const jobKeys: readonly KeyHelp[] = [
  ['Space', 'Play or pause'],
  ['←', 'Back 5 seconds'],
  ['→', 'Forward 5 seconds'],
  ['i', 'Start the clip here'],
  ['o', 'End the clip here'],
  ['Esc', 'Clear the selection'],
  ['t', 'Tap the tempo'],
  ['d', 'Save the file'],
  ['?', 'Show these keys'],
]

function JobView({ job }: { job: LiveJob }) {
  const [isHelping, setHelping] = useState(false)
  const save = useDownload()
  const isThere = isDownloadable(job)
  const isAudio = job.type === 'audio'
  useDocumentTitle(titleOf(job), 'Media')
  useKeys({ d: () => isThere && save.mutate(filePath(job)), '?': () => setHelping(true) })
  return (
    <div className="hearth-stack">
      <JobHead job={job} />
      {isThere && (isAudio ? <AudioEditor job={job} /> : <VideoPlayer job={job} />)}
      <div className="job-columns">
        {isThere && (
          <div className="hearth-stack">
            {isAudio && <TempoCard job={job} />}
            {isAudio && <SoundCard job={job} />}
            <ShareCard job={job} />
            <TagsCard job={job} />
          </div>
        )}
        <div className="hearth-stack">
          {isThere && isAudio && <StemsCard job={job} />}
          <DetailsCard job={job} />
        </div>
      </div>
      <KeysHelp opened={isHelping} onClose={() => setHelping(false)} keys={jobKeys} />
    </div>
  )
}
