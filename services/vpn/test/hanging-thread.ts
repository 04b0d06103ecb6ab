import { workerData } from 'node:worker_threads'
import { openSharedState, Shared } from '../src/dns/loops/shared-state.ts'
import { currentThread } from '../src/dns/loops/process-sample.ts'

// A data thread that beats for a moment, then hangs in a loop it never leaves; `?asleep` waits for what no one does.
const { words } = openSharedState(workerData.setup.shared)
Atomics.store(words, Shared.thread, currentThread())
Atomics.store(words, Shared.heartbeat, 1)
if (import.meta.url.endsWith('?asleep')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
const end = performance.now() + 300
for (let beats = 2; ; beats += 1) if (performance.now() < end) Atomics.store(words, Shared.heartbeat, beats)
