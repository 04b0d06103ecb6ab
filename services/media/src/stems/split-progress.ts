import type { MediaBus } from '../events.ts'
import type { SeparationStage } from './separation-record.ts'

const shown = {
  upload: ['upload', 'Sending the sound to the stem service'],
  split: ['processing', 'The stem service separates the sound'],
  wait: ['processing', 'The stem service separates the sound'],
  download: ['download', 'Fetching the stems'],
} as const

const minInterval = 500

/** Publishes the progress of a split: at most twice a second, and always its end. */
export type SplitProgress = ReturnType<typeof createSplitProgress>

export function createSplitProgress(bus: MediaBus, jobId: string, monotonic: () => number) {
  const shared = { type: 'stem_progress', job_id: jobId } as const
  let lastAt = Number.NEGATIVE_INFINITY
  return {
    report(stage: SeparationStage, percent: number): void {
      const at = monotonic()
      // No client waits for the clean-up.
      if (stage === 'clean-up' || at - lastAt < minInterval) return
      lastAt = at
      const [name, message] = shown[stage]
      bus.publish({ ...shared, stage: name, progress: Math.min(100, Math.max(0, percent)), message })
    },
    done: () => bus.publish({ ...shared, stage: 'done', progress: 100, message: 'The stems are ready' }),
    failed: (message: string) => bus.publish({ ...shared, stage: 'failed', progress: 0, message }),
  }
}
