import { flushCompileCache } from 'node:module'
import { workerData, type MessagePort } from 'node:worker_threads'
import { setThreadPriority, ThreadPriority } from '../../thread-priority.ts'
import { openLibc } from '../sockets/libc.ts'
import { currentThread } from './process-sample.ts'
import { setThreadSlice, minSlice } from '../sockets/thread-slice.ts'
import type { DataSetup } from './data-config.ts'
import { openSharedState, Shared } from './shared-state.ts'

// The worker that answers. Started by `resolver/data-thread-host.ts`. The compile cache is written before it starts: a killed
// thread cannot write it, and it makes the next start faster.
setThreadPriority(ThreadPriority.answering)
const { setup, port } = workerData as { setup: DataSetup; port: MessagePort }
Atomics.store(openSharedState(setup.shared).words, Shared.thread, currentThread())
if (setup.mode === 'ffi') {
  const { runFfiLoop } = await import('./ffi-loop.ts')
  const libc = await openLibc()
  setThreadSlice(libc, minSlice)
  flushCompileCache()
  runFfiLoop(setup, port, libc)
  port.close()
} else {
  const { runDgramLoop } = await import('./dgram-loop.ts')
  flushCompileCache()
  runDgramLoop(setup, port)
}
