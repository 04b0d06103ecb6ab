import { flushCompileCache } from 'node:module'
import { workerData, type MessagePort } from 'node:worker_threads'
import { setThreadPriority, ThreadPriority } from '../../thread-priority.ts'
import { openLibc } from '../sockets/libc.ts'
import type { DataSetup } from './orders.ts'

// The worker that answers. Started by `process/data-thread-host.ts`.
setThreadPriority(ThreadPriority.answering)
const { setup, port } = workerData as { setup: DataSetup; port: MessagePort }
if (setup.mode === 'ffi') {
  const { runFfiLoop } = await import('./ffi-loop.ts')
  const libc = await openLibc()
  // It never comes back to its event loop, where this would happen by itself.
  flushCompileCache()
  runFfiLoop(setup, port, libc)
  port.close()
} else {
  const { runDgramLoop } = await import('./dgram-loop.ts')
  runDgramLoop(setup, port)
}
