import { formatBytes, formatCount } from '@hearth/ui'
import type { CSSProperties } from 'react'
import type { Platform, Statistics } from '../api.ts'
import { platformNames } from '../jobs/job-labels.ts'
import { PlatformIcon } from '../jobs/platform-icon.tsx'

const isPlatform = (name: string): name is Platform => name in platformNames

/** Downloads by platform, the most first, with a bar for the share. */
export function PlatformList({ platforms }: { platforms: Statistics['by_platform'] }) {
  const sorted = platforms.toSorted((one, other) => other.jobs - one.jobs)
  const most = Math.max(1, ...sorted.map(({ jobs }) => jobs))
  return (
    <ul className="plain-list shares">
      {sorted.map(({ platform, jobs, failed, bytes }) => (
        <li key={platform}>
          <span className="share-name">
            <PlatformIcon platform={isPlatform(platform) ? platform : undefined} size={18} />
            {isPlatform(platform) ? platformNames[platform] : platform}
          </span>
          <b>{jobs.toLocaleString('en')}</b>
          <span className="share-bar" style={{ '--at': jobs / most } as CSSProperties} />
          <span className="gauge-note">
            {formatBytes(bytes)}
            {failed > 0 && `, ${formatCount(failed, 'failure')}`}
          </span>
        </li>
      ))}
    </ul>
  )
}
