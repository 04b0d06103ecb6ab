import { Checkbox } from '@mantine/core'
import { memo } from 'react'
import { Link } from 'wouter'
import type { Job } from '../api.ts'
import { titleOf } from '../jobs/job.ts'
import { JobFacts } from '../jobs/job-facts.tsx'
import { clock } from '../jobs/job-labels.ts'
import { Thumbnail } from '../jobs/thumbnail.tsx'
import { TagLinks } from './tag-links.tsx'
import type { LibraryView } from './library-toolbar.tsx'

interface ItemsProps {
  items: readonly Job[]
  view: LibraryView
  chosen: ReadonlySet<string>
  /** `isRange` chooses all up to the one that was chosen before. */
  onChoose: (id: string, isRange: boolean) => void
}

/** The items as covers, or as a list. */
export function LibraryItems({ items, view, chosen, onChoose }: ItemsProps) {
  return (
    <ul
      className={view === 'grid' ? 'covers' : 'library-list'}
      aria-label="Library"
      data-choosing={chosen.size > 0 || undefined}
    >
      {items.map((job) => (
        <Item key={job.id} job={job} view={view} isChosen={chosen.has(job.id)} onChoose={onChoose} />
      ))}
    </ul>
  )
}

interface ItemProps extends Pick<ItemsProps, 'view' | 'onChoose'> {
  job: Job
  isChosen: boolean
}

const Item = memo(function Item({ job, view, isChosen, onChoose }: ItemProps) {
  const title = titleOf(job)
  const by = job.artist ?? job.channel
  const isCover = view === 'grid'
  return (
    <li className={isCover ? 'cover' : 'library-row'} data-chosen={isChosen || undefined} aria-label={title}>
      <Checkbox
        className="library-check"
        aria-label={`Choose ${title}`}
        checked={isChosen}
        onChange={(event) => onChoose(job.id, (event.nativeEvent as MouseEvent).shiftKey)}
      />
      <Link href={`/job/${job.id}`} className="cover-picture" tabIndex={-1} aria-hidden>
        <Thumbnail job={job} />
        {isCover && job.duration_seconds !== null && (
          <span className="cover-length">{clock(job.duration_seconds)}</span>
        )}
      </Link>
      <div className="cover-words">
        <Link href={`/job/${job.id}`} className="hearth-name cover-title">
          {title}
        </Link>
        {by !== null && <span className="cover-by">{by}</span>}
        {isCover ? <Figures job={job} /> : <JobFacts job={job} />}
        <TagLinks tags={job.tags} />
      </div>
    </li>
  )
})

function Figures({ job }: { job: Job }) {
  if (job.bpm === null && job.key_camelot === null) return null
  return (
    <span className="cover-figures">
      {job.bpm !== null && <span className="job-tempo">{job.bpm} BPM</span>}
      {job.key_camelot !== null && (
        <span className="job-tempo">
          <span className="camelot">{job.key_camelot}</span>
        </span>
      )}
    </span>
  )
}
