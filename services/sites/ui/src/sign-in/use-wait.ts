import { ApiError, describeError } from '@hearth/ui'
import { useEffect, useState } from 'react'
import { describeWait } from './wait-words.ts'

/** A problem that is shown, and how long another try has to wait. */
export interface Trouble {
  /** What to show now; undefined without trouble. */
  readonly text: string | undefined
  /** Another try would be refused. */
  readonly mustWait: boolean
  clear(): void
  /** `describe` makes the sentence for all but a 429. */
  readonly note: (error: unknown, describe?: (error: unknown) => string) => void
}

/** Keeps the problem of a form; with a 429 it counts the seconds down and goes when they are over. */
export function useTrouble(): Trouble {
  const [text, setText] = useState<string>()
  const [left, setLeft] = useState(0)
  useEffect(() => {
    if (left === 0) return
    const timer = setTimeout(() => setLeft(left - 1), 1000)
    return () => clearTimeout(timer)
  }, [left])
  const clear = () => {
    setText(undefined)
    setLeft(0)
  }
  return {
    text: left > 0 ? describeWait(left) : text,
    mustWait: left > 0,
    clear,
    note: (error, describe = describeError) => {
      clear()
      if (error instanceof ApiError && error.status === 429) setLeft(error.retryAfter ?? 10)
      else setText(describe(error))
    },
  }
}
