import { UnstyledButton } from '@mantine/core'
import { Problem, Section } from '@hearth/ui'
import { IconPlayerPlayFilled } from '@tabler/icons-react'
import { useState } from 'react'
import type { Job } from '../api.ts'
import { titleOf } from '../jobs/job.ts'
import { filePath } from '../jobs/use-job-actions.ts'

/** The video of a job: its picture at first, and a player on request, which nothing is fetched for before. */
export function VideoPlayer({ job }: { job: Job }) {
  const [state, setState] = useState<'picture' | 'playing' | 'failed'>('picture')
  const poster = `/thumbnail/${job.id}`
  return (
    <Section title="Watch">
      {state === 'picture' ? (
        <UnstyledButton className="film" aria-label={`Play ${titleOf(job)}`} onClick={() => setState('playing')}>
          <img src={poster} alt="" onError={(event) => event.currentTarget.remove()} />
          <span className="film-play">
            <IconPlayerPlayFilled size={28} aria-hidden />
          </span>
        </UnstyledButton>
      ) : (
        // oxlint-disable-next-line jsx-a11y/media-has-caption -- the platforms' captions are not fetched
        <video
          className="film"
          controls
          autoPlay
          playsInline
          poster={poster}
          src={filePath(job)}
          aria-label={titleOf(job)}
          onError={() => setState('failed')}
        />
      )}
      <Problem
        text={
          state === 'failed'
            ? 'This browser cannot play the file. Download it, or turn on “Files that play everywhere” in the settings and fetch it again.'
            : undefined
        }
      />
    </Section>
  )
}
