import { Text } from '@mantine/core'
import { useInterval } from '@mantine/hooks'
import { useState } from 'react'
import './progress.css'

/**
 * Progress of something whose end is not known: a moving bar, and after some seconds the time that has passed. `max` is the time
 * limit, in seconds, where there is one.
 */
export function Waiting({ label, max }: { label: string; max?: number }) {
  const [seconds, setSeconds] = useState(0)
  useInterval(() => setSeconds((before) => before + 1), 1000, { autoInvoke: true })
  const passed = seconds < 3 ? '' : `, ${seconds} s`
  const limit = seconds < 3 || max === undefined ? '' : ` of at most ${max} s`
  return (
    <div className="waiting">
      <Bar label={label} value={undefined} />
      <div className="waiting-words">
        <Text size="xs" c="dimmed">
          {label}
          {passed}
          {limit}
        </Text>
      </div>
    </div>
  )
}

/** A bar from 0 to 100; without a value something moves in it, because nobody knows how far it is. */
export function Bar({ label, value, text }: { label: string; value: number | undefined; text?: string }) {
  return <progress className="bar" aria-label={label} aria-valuetext={text} max={100} value={value} />
}
