import { readFile } from 'node:fs/promises'
import { bytesOf, estimateBytes, type WantedForm } from '../tools/estimate-size.ts'
import { MediaFailure } from '../tools/media-failure.ts'
import { infoOf } from '../tools/media-info.ts'
import type { MediaFacts } from '../tools/yt-dlp-output.ts'
import type { JobRow } from '../tables.ts'

/** Room for files, within the budget and on the disk. */
export interface Room {
  /**
   * Keeps room for the file of a running job, and makes it if that is possible. `isWritten` when the file is on this disk
   * already. Throws a `MediaFailure` when there is none.
   */
  reserve(job: JobRow, bytes: number, isWritten: boolean): Promise<void>
}

/** Keeps room before a download, from what the probe found out, where it did. */
export async function reserveForecast(
  room: Room,
  job: JobRow,
  { infoFile, form }: { readonly infoFile: string | undefined; readonly form: WantedForm },
): Promise<void> {
  if (infoFile === undefined) return
  const json = await readFile(infoFile, 'utf8').catch(() => '')
  const bytes = json === '' ? undefined : estimateOf(json, form)
  if (bytes !== undefined) await room.reserve(job, bytes, false)
}

function estimateOf(json: string, form: WantedForm): number | undefined {
  try {
    return estimateBytes(infoOf(json), form)
  } catch (error) {
    // The download queries the platform again.
    if (error instanceof MediaFailure) return undefined
    throw error
  }
}

/** Room that a download is found to need while it begins; it ends at once when there is none. */
export function watchRoom(room: Room, job: JobRow, signal: AbortSignal) {
  const refusal = new AbortController()
  let reserving = Promise.resolve()
  return {
    signal: AbortSignal.any([signal, refusal.signal]),
    /** Keeps room for what the platform states. */
    note(facts: MediaFacts): void {
      const bytes = bytesOf(facts, facts.duration)
      if (bytes === undefined) return
      reserving = room.reserve(job, bytes, false).catch((error: unknown) => refusal.abort(error))
    },
    /** Waits for the download; throws the refusal that ended it. */
    async settle<T>(download: Promise<T>): Promise<T> {
      const [result] = await Promise.allSettled([download])
      await reserving
      if (refusal.signal.aborted) throw refusal.signal.reason
      if (result.status === 'rejected') throw result.reason
      return result.value
    },
  }
}
