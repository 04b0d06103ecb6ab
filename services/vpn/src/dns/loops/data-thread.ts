import { flushCompileCache } from 'node:module'
import { setPriority } from 'node:os'
import { workerData, type MessagePort } from 'node:worker_threads'
import { openLibc } from '../sockets/libc.ts'
import type { DataSetup } from './orders.ts'

// The worker that answers. Started by `process/data-thread-host.ts`. As far as the account may, it goes before everything else
// of the service: on one core a page that is made would keep names waiting.
try {
  setPriority(0, -10)
} catch {
  // Only root may.
}
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
