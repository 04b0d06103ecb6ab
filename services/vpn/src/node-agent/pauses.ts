import { reportEveryMs } from '../nodes/link-schema.ts'

/** Pause after so many failures in a row, milliseconds: short at first, so that a service that was restarted knows its nodes at once. */
export const pauseAfter = (failures: number): number => Math.min(reportEveryMs, 1000 * 2 ** (failures - 1))
