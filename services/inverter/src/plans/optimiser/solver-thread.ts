import { parentPort, workerData } from 'node:worker_threads'
import type { LinearModel } from './linear-model.ts'
import { loadSolver } from './solver.ts'

/** The thread of `solveInThread`: it solves one model, sends the values of the columns, and ends. */
const solve = await loadSolver()
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port has no origin
parentPort?.postMessage(solve(workerData as LinearModel))
