import { answer, ConfirmDelete, IconAction, QueryState } from '@hearth/ui'
import { IconDownload, IconPlayerPlay, IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, keys, ofJob, type Trim } from '../api.ts'
import { clock } from '../jobs/job-labels.ts'
import { useDownloadButton } from '../jobs/use-job-actions.ts'
import { formatTime, type Part } from './part.ts'

/** Reads the saved clips of a sound. */
export function useTrims(jobId: string) {
  return useQuery({
    queryKey: keys.trims(jobId),
    queryFn: () => answer(api.GET('/api/trim/{job_id}', ofJob(jobId))),
  })
}

/** List of the saved clips: listen, download, delete. */
export function TrimList({ jobId, onShow }: { jobId: string; onShow: (part: Part) => void }) {
  const trims = useTrims(jobId)
  const [leaving, setLeaving] = useState<Trim>()
  const saving = useDownloadButton()
  if (trims.data === undefined) return <QueryState query={trims} lines={1} />
  if (trims.data.length === 0) return null
  return (
    <>
      <h3 className="small-heading">Clips</h3>
      <ul className="plain-list lines" aria-label="Clips">
        {trims.data.map((trim) => (
          <li key={trim.trim_id}>
            <span className="line-name">
              <b>
                {formatTime(trim.start)} – {formatTime(trim.end)}
              </b>
              <span className="hearth-dimmed">{clock(trim.duration, 1)} · WAV</span>
            </span>
            <span className="job-actions">
              <IconAction
                icon={IconPlayerPlay}
                tip="Listen to it"
                label={`Listen to the clip from ${formatTime(trim.start)}`}
                onClick={() => onShow(trim)}
              />
              <IconAction
                icon={IconDownload}
                tip="Download"
                label={`Download the clip from ${formatTime(trim.start)}`}
                {...saving(`/api/trim/${jobId}/${trim.trim_id}/download`)}
              />
              <IconAction
                icon={IconTrash}
                tip="Delete"
                label={`Delete the clip from ${formatTime(trim.start)}`}
                onClick={() => setLeaving(trim)}
              />
            </span>
          </li>
        ))}
      </ul>
      <DeleteTrim jobId={jobId} trim={leaving} onClose={() => setLeaving(undefined)} />
    </>
  )
}

function DeleteTrim({ jobId, trim, onClose }: { jobId: string; trim: Trim | undefined; onClose: () => void }) {
  const range = trim === undefined ? '' : `${formatTime(trim.start)} – ${formatTime(trim.end)}`
  return (
    <ConfirmDelete
      opened={trim !== undefined}
      onClose={onClose}
      title="Delete the clip?"
      losses={[`The clip ${range}, and stems made of it`]}
      verb="Delete clip"
      action={{
        run: () =>
          answer(
            api.DELETE('/api/trim/{job_id}', {
              params: { path: { job_id: jobId }, query: { trim_id: trim?.trim_id ?? '' } },
            }),
          ),
        done: () => 'Clip deleted',
        renew: [keys.trims(jobId)],
      }}
    />
  )
}
