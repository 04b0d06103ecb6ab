import type { SnapshotFacts } from './store.ts'

/**
 * Snapshots to delete so that at most `kept` without a name stay: the oldest automatic ones first. The newest one from before
 * the last change of firmware stays, because nothing else shows what an update changed.
 */
export function surplusSnapshots(newestFirst: readonly SnapshotFacts[], kept: number): number[] {
  const unnamed = newestFirst.filter(
    ({ name, origin, state }) => name === null && origin !== 'current' && state !== 'reading',
  )
  const before = beforeFirmware(newestFirst)
  const candidates = unnamed.filter(({ id }) => id !== before?.id).toReversed()
  const automatic = candidates.filter(({ origin }) => origin !== 'manual')
  const manual = candidates.filter(({ origin }) => origin === 'manual')
  return [...automatic, ...manual].slice(0, Math.max(0, unnamed.length - kept)).map(({ id }) => id)
}

/** The newest complete snapshot under another firmware than the newest one; undefined when there is none. */
export function beforeFirmware(
  newestFirst: readonly SnapshotFacts[],
  firmware = newestFirst.find(isComplete)?.firmware,
): SnapshotFacts | undefined {
  if (firmware == null) return undefined
  return newestFirst.find((row) => isComplete(row) && row.firmware !== null && row.firmware !== firmware)
}

export const isComplete = ({ state }: Pick<SnapshotFacts, 'state'>): boolean => state === 'complete'
