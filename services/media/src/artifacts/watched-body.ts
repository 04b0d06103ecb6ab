import { Readable } from 'node:stream'
import { systemTimers, type Timers } from '@hearth/runtime'
import { ArtifactStorageFailed } from './artifact-store.ts'

/**
 * Passes a body on and fails when its sender lets the reader wait for too many milliseconds. A reader may pause as long as it
 * likes. Destroying the stream ends the body, also before anything was read.
 */
export function watchBody(body: Readable, stallMs: number, timers: Timers = systemTimers): Readable {
  const watched = Readable.from(chunksOf(body, { stallMs, timers }), { objectMode: false })
  return watched.once('close', () => body.destroy())
}

async function* chunksOf(body: Readable, limit: { readonly stallMs: number; readonly timers: Timers }) {
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>
  for (;;) {
    const cancel = limit.timers.after(limit.stallMs, () => {
      body.destroy(new ArtifactStorageFailed('object storage: the content stands still'))
    })
    const step = await chunks.next().catch(asFailure).finally(cancel)
    if (step.done === true) return
    yield step.value
  }
}

function asFailure(error: unknown): never {
  if (error instanceof ArtifactStorageFailed) throw error
  const reason = (error as NodeJS.ErrnoException).code ?? 'unknown'
  throw new ArtifactStorageFailed(`object storage: the content broke off: ${reason}`)
}
