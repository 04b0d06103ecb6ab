import { Text } from '@mantine/core'
import { useEffect, useState, type ReactNode } from 'react'
import './progress.css'

/**
 * Something takes a while and does not say how far it is: the bar moves, and after some seconds it says for how long already.
 * `most` is the longest it can take, in seconds, where that is known; `action` stands beside the words.
 */
export function Waiting({ label, most, action }: { label: string; most?: number; action?: ReactNode }) {
  const seconds = useSeconds()
  const passed = seconds < 3 ? '' : `, ${seconds} s`
  const limit = seconds < 3 || most === undefined ? '' : ` of at most ${most} s`
  return (
    <div className="waiting">
      <Bar label={label} value={undefined} />
      <div className="waiting-words">
        <Text size="xs" c="dimmed">
          {label}
          {passed}
          {limit}
        </Text>
        {action}
      </div>
    </div>
  )
}

function useSeconds(): number {
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setSeconds((before) => before + 1), 1000)
    return () => clearInterval(timer)
  }, [])
  return seconds
}

/** A bar from 0 to 100; without a value something moves in it, because nobody knows how far it is. */
export function Bar({ label, value, text }: { label: string; value: number | undefined; text?: string }) {
  return <progress className="bar" aria-label={label} aria-valuetext={text} max={100} value={value} />
}
