import { flushCompileCache } from 'node:module'
import { setPriority } from 'node:os'
import { workerData, type MessagePort } from 'node:worker_threads'
import { openLibc } from '../sockets/libc.ts'
import { runDgramLoop } from './dgram-loop.ts'
import { runFfiLoop } from './ffi-loop.ts'
import type { DataSetup } from './orders.ts'

// The worker that answers. Started by `process/data-thread-host.ts`. As far as the account may, it goes before everything else
// of the service: on one core a page that is made would keep names waiting.
try {
  setPriority(0, -10)
} catch {
  // Only root may.
}
flushCompileCache()
const { setup, port } = workerData as { setup: DataSetup; port: MessagePort }
if (setup.mode === 'ffi') {
  runFfiLoop(setup, port, await openLibc())
  port.close()
} else runDgramLoop(setup, port)
