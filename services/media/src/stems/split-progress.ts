import type { MediaBus } from '../events/schema.ts'
import type { SeparationStage } from './separation-record.ts'

/** Tells those who look on how far a split is: at most twice a second, and its end in any case. */
export interface SplitProgress {
  tell(stage: SeparationStage, percent: number): void
  done(): void
  failed(message: string): void
}

const shown = {
  upload: ['upload', 'Sending the sound to the stem service'],
  split: ['processing', 'The stem service separates the sound'],
  wait: ['processing', 'The stem service separates the sound'],
  download: ['download', 'Fetching the stems'],
} as const

const shortestPause = 500

export function createSplitProgress(bus: MediaBus, jobId: string, monotonic: () => number): SplitProgress {
  const shared = { type: 'stem_progress', job_id: jobId } as const
  let lastAt = Number.NEGATIVE_INFINITY
  return {
    tell(stage, percent) {
      const at = monotonic()
      // Tidying up is nothing anybody waits for.
      if (stage === 'clean-up' || at - lastAt < shortestPause) return
      lastAt = at
      const [name, message] = shown[stage]
      bus.publish({ ...shared, stage: name, progress: Math.min(100, Math.max(0, percent)), message })
    },
    done: () => bus.publish({ ...shared, stage: 'done', progress: 100, message: 'The stems are ready' }),
    failed: (message) => bus.publish({ ...shared, stage: 'failed', progress: 0, message }),
  }
}
