import { workerData } from 'node:worker_threads'
import { openSharedState, Shared } from '../src/dns/loops/shared-state.ts'
import { currentThread } from '../src/dns/loops/process-sample.ts'

// A data thread that beats once, then waits for what no one does.
const { words } = openSharedState(workerData.setup.shared)
Atomics.store(words, Shared.thread, currentThread())
Atomics.store(words, Shared.heartbeat, 1)
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
