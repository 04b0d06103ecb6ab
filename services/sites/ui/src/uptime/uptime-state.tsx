import { RelativeTime, StatusBadge } from '@hearth/ui'
import type { CheckFailure, SiteUptime, UptimeState } from './read-uptime.ts'
import { percentText, stateWords } from './uptime-words.ts'
import './uptime.css'

/** A state in a word. */
export function UptimeBadge({ state }: { state: UptimeState }) {
  const { text, tone } = stateWords[state]
  return <StatusBadge tone={tone}>{text}</StatusBadge>
}

/** Up or down in a list of sites, with the share of thirty days; nothing while neither is known. */
export function UptimeNote({ uptime }: { uptime: SiteUptime | undefined }) {
  if (uptime?.state === 'down') return <UptimeBadge state="down" />
  if (uptime?.state !== 'up') return null
  return (
    <small className="uptime-note" title="Uptime of 30 days">
      Up · {percentText(uptime.uptime.days_30)}
    </small>
  )
}

/** Time since which a state holds. */
export function Since({ value }: { value: string | null }) {
  if (value === null) return null
  return (
    <span>
      since <RelativeTime value={value} />
    </span>
  )
}

/** What was asked, what came back and what to do. */
export function FailureText({ failure }: { failure: Pick<CheckFailure, 'asked' | 'came_back' | 'advice'> }) {
  return (
    <dl className="uptime-failure">
      <div>
        <dt>Asked</dt>
        <dd className="hearth-mono">{failure.asked}</dd>
      </div>
      <div>
        <dt>Came back</dt>
        <dd>{failure.came_back}</dd>
      </div>
      {failure.advice !== '' && (
        <div>
          <dt>What to do</dt>
          <dd>{failure.advice}</dd>
        </div>
      )}
    </dl>
  )
}
