import { RelativeTime, StatusBadge } from '@hearth/ui'
import type { CheckFailure, SiteUptime, UptimeState } from './read-uptime.ts'
import { UptimeBar } from './uptime-bar.tsx'
import { percentText, stateWords } from './uptime-words.ts'
import './uptime.css'

/** A state in a word. */
export function UptimeBadge({ state }: { state: UptimeState }) {
  const { text, tone } = stateWords[state]
  return <StatusBadge tone={tone}>{text}</StatusBadge>
}

/** The state of a site in a list, with its last thirty days. */
export function SiteUptimeCell({ uptime }: { uptime: SiteUptime | undefined }) {
  if (uptime === undefined) return null
  const { site_name: name, state, bar } = uptime
  return (
    <span className="uptime-cell">
      <UptimeBadge state={state} />
      {state !== 'off' && <UptimeBar label={`Uptime of ${name}, 30 days`} days={bar.map((share) => ({ share }))} />}
      {state !== 'off' && <small>{percentText(uptime.uptime.days_30)} of 30 days</small>}
    </span>
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
