import { OutboundFailed } from './outbound-error.ts'

/** The time one exchange has as a whole, and the caller's wish to end it earlier, in one signal. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Frees the timer; the signal stays as it is. */
  clear(): void
}

/** @param options the host is for the error (`OutboundFailed`, `timeout`) the signal is aborted with */
export function startDeadline(options: { host: string; ms: number; signal: AbortSignal | undefined }): Deadline {
  const { host, ms, signal: given } = options
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(new OutboundFailed('timeout', host)), ms)
  const onAbort = () => controller.abort(given?.reason)
  if (given?.aborted === true) onAbort()
  else given?.addEventListener('abort', onAbort, { once: true })
  return {
    signal: controller.signal,
    clear() {
      clearTimeout(timer)
      given?.removeEventListener('abort', onAbort)
    },
  }
}
