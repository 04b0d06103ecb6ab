import { useEffect, useState } from 'react'
import { ApiError, describeError } from './api-error.ts'

/** The failure of a sign-in form, and how long the next attempt has to wait. */
export interface SignInFailure {
  /** Sentence to show; undefined without a failure. */
  readonly text: string | undefined
  /** The next attempt would be refused. */
  readonly mustWait: boolean
  clear(): void
  /** `describe` makes the sentence for all but a 429. */
  readonly note: (error: unknown, describe?: (error: unknown) => string) => void
  /** Notes the failure of something that started by itself: one that is shown already stays. */
  readonly noteAside: (error: unknown, describe: (error: unknown) => string) => void
}

/** Keeps the failure of a sign-in form; a 429 counts down and clears itself. */
export function useSignInFailure(): SignInFailure {
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
    noteAside: (error, describe) => setText((shown) => shown ?? describe(error)),
  }
}

/** Sentence while another attempt has to wait for `seconds`. */
export function describeWait(seconds: number): string {
  if (seconds < 60) return `Too many attempts. Try again in ${seconds} s.`
  const minutes = Math.ceil(seconds / 60)
  return `Too many attempts. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`
}
