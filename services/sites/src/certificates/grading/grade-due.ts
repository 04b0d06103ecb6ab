import { createHash } from 'node:crypto'

/** Interval of a task and the spread of its times, milliseconds. */
export interface Rhythm {
  readonly every: number
  readonly jitter: number
}

/** Local grades cost nobody anything; SSL Labs is asked seldom and not by everybody at the same hour. */
export const rhythms = {
  daily: { every: 86_400_000, jitter: 2 * 3_600_000 },
  weekly: { every: 7 * 86_400_000, jitter: 86_400_000 },
} as const satisfies Record<string, Rhythm>

/** Returns when a host is due again. The spread is the host's own, so that it keeps its place from week to week. */
export function dueAt(host: string, lastAt: number | undefined, { every, jitter }: Rhythm): number {
  if (lastAt === undefined) return 0
  const share = createHash('sha256').update(host).digest().readUInt32BE() / 2 ** 32
  return lastAt + every + Math.floor(share * jitter)
}
