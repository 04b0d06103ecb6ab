import { IconMusic, IconVideo } from '@tabler/icons-react'
import { useState } from 'react'
import type { Job } from '../api.ts'
import { isDownloadable } from './job.ts'
import './jobs.css'

/** The picture of a job; where there is none, a sign of what it is. Of no meaning beside the title. */
export function Thumbnail({ job }: { job: Pick<Job, 'id' | 'status' | 'type'> }) {
  // A job without a file has no picture yet.
  return (
    <Picture
      key={String(isDownloadable(job))}
      src={isDownloadable(job) ? `/thumbnail/${job.id}` : null}
      type={job.type}
    />
  )
}

/** A picture in the shape of a film, which may be missing or not come. */
export function Picture({ src, type }: { src: string | null; type: Job['type'] }) {
  const [isMissing, setMissing] = useState(false)
  const Icon = type === 'audio' ? IconMusic : IconVideo
  return (
    <span className="picture">
      {src === null || isMissing ? (
        <Icon size={22} stroke={1.5} aria-hidden />
      ) : (
        <img src={src} alt="" loading="lazy" decoding="async" onError={() => setMissing(true)} />
      )}
    </span>
  )
}
