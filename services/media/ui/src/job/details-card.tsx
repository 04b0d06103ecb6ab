import { Fact, formatBytes, formatDay, RelativeTime, Section } from '@hearth/ui'
import type { ReactNode } from 'react'
import type { Job } from '../api.ts'
import { toIsoString } from '../jobs/job.ts'
import { clock, kindOf, platformNames } from '../jobs/job-labels.ts'

/** Everything that is known of a job. */
export function DetailsCard({ job }: { job: Job }) {
  const rows = rowsOf(job).filter(([, value]) => value !== null)
  return (
    <Section title="Details">
      <dl className="hearth-facts" data-start>
        {rows.map(([name, value]) => (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ))}
      </dl>
    </Section>
  )
}

function rowsOf(job: Job): [name: string, value: ReactNode][] {
  return [
    [
      'Address',
      <a key="address" className="hearth-link" href={job.url} target="_blank" rel="noreferrer noopener">
        {job.url}
      </a>,
    ],
    ['Platform', platformNames[job.platform]],
    ['Kind', kindOf(job)],
    ['Artist', job.artist],
    ['Album', job.album],
    ['Channel', job.channel],
    ['Published', job.published_on === null ? null : formatDay(new Date(`${job.published_on}T12:00:00`))],
    ['Chapters', job.chapter_count === 0 ? null : job.chapter_count],
    ['File name', job.filename],
    ['Size', job.filesize_bytes === null ? null : formatBytes(job.filesize_bytes)],
    ['Length', job.duration_seconds === null ? null : clock(job.duration_seconds)],
    ['Codec', job.codec],
    ['Bit rate', job.bitrate_kbps === null ? null : `${job.bitrate_kbps.toLocaleString('en')} kbit/s`],
    ['Requested', <RelativeTime key="created" value={toIsoString(job.created_at)} />],
    ['Finished', job.finished_at === null ? null : <RelativeTime key="done" value={toIsoString(job.finished_at)} />],
    [
      'SHA-256',
      job.audio_hash && (
        <code key="hash" className="hearth-mono">
          {job.audio_hash}
        </code>
      ),
    ],
    ['Last step', job.message === '' ? null : job.message],
  ]
}
