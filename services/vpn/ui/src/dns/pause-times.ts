/** Durations of a pause, for the buttons. */
export interface PauseChoice {
  readonly label: string
  readonly seconds: (now: Date) => number
}

/** The pauses one click away. */
export const pauseChoices: readonly PauseChoice[] = [
  { label: 'For 10 minutes', seconds: () => 600 },
  { label: 'For 1 hour', seconds: () => 3600 },
  { label: 'Until tomorrow', seconds: secondsUntilTomorrow },
]

/** Seconds until the next midnight of this device, at least one. */
export function secondsUntilTomorrow(now: Date): number {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1)
  return Math.max(1, Math.round((midnight.getTime() - now.getTime()) / 1000))
}

/** Returns the rest of a pause: `59:30`, `7:05:00`; undefined once it is over. */
export function timeLeft(until: string | null, now: Date): string | undefined {
  if (until === null) return undefined
  const seconds = Math.ceil((Date.parse(until) - now.getTime()) / 1000)
  if (seconds <= 0) return undefined
  const hours = Math.floor(seconds / 3600)
  const minutes = Math.floor((seconds % 3600) / 60)
  const parts = hours > 0 ? [hours, two(minutes), two(seconds % 60)] : [minutes, two(seconds % 60)]
  return parts.join(':')
}

const two = (value: number): string => String(value).padStart(2, '0')
