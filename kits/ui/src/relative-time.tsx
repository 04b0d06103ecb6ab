import { Tooltip } from '@mantine/core'
import { useEffect, useState } from 'react'
import { formatRelative } from './format.ts'
import { formatTimestamp } from './format-time.ts'

/** A time as "5 minutes ago", kept current; the exact time stands in the tooltip and in `<time>`. */
export function RelativeTime({ value, absent = 'never' }: { value: string | null; absent?: string }) {
  const now = useNow()
  if (value === null) return <span className="hearth-dimmed">{absent}</span>
  const date = new Date(value)
  const exact = formatTimestamp(date)
  return (
    <Tooltip label={exact}>
      <time dateTime={value} className="hearth-time">
        {formatRelative(date, now)}
      </time>
    </Tooltip>
  )
}

/** The time now, renewed every ten seconds while the component is on screen. */
export function useNow(): Date {
  const [now, setNow] = useState(() => new Date())
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), 10_000)
    return () => clearInterval(timer)
  }, [])
  return now
}
