import { Text } from '@mantine/core'
import { formatDay, formatDuration } from '@hearth/ui'
import type { ConnectionDay } from './connection-days.ts'

interface ConnectionTimelineProps {
  days: readonly ConnectionDay[]
  /** Index of the chosen day; undefined for all. */
  chosen: number | undefined
  choose: (day: number | undefined) => void
}

/** A bar for each day with the times in which a peer was connected, midnight at the top; a slider over it chooses a day. */
export function ConnectionTimeline({ days, chosen, choose }: ConnectionTimelineProps) {
  const connected = days.filter(({ seconds }) => seconds > 0).length
  const all = `Connected on ${connected} of the last ${days.length} days`
  const day = chosen === undefined ? undefined : days[chosen]
  const text = day === undefined ? all : dayText(day)
  return (
    <div className="connection-timeline">
      <div className="connection-days">
        {days.map((each, index) => (
          <div key={each.start.getTime()} className="connection-day" data-chosen={index === chosen} aria-hidden>
            {each.parts.map(({ from, to }) => (
              <span key={from} style={{ top: `${from * 100}%`, height: `${(to - from) * 100}%` }} />
            ))}
          </div>
        ))}
        <div className="connection-all" data-chosen={chosen === undefined} aria-hidden>
          all
        </div>
        <input
          type="range"
          min={0}
          max={days.length}
          step={1}
          value={chosen ?? days.length}
          aria-label="Day"
          aria-valuetext={text}
          onChange={({ currentTarget: { valueAsNumber: value } }) => choose(value === days.length ? undefined : value)}
        />
      </div>
      <div className="connection-axis" aria-hidden>
        {days.map((each, index) => (
          <span key={each.start.getTime()}>
            {index > 2 && (days.length - 1 - index) % 7 === 0 ? formatDay(each.start) : ''}
          </span>
        ))}
        <span />
      </div>
      <Text component="output" size="sm" c="dimmed">
        {text}.
      </Text>
    </div>
  )
}

function dayText({ start, seconds }: ConnectionDay): string {
  const name = formatDay(start, { weekday: 'short' })
  return seconds === 0 ? `${name}: not connected` : `${name}: connected for ${formatDuration(seconds)}`
}
