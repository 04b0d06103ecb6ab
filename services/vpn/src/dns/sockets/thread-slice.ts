import { fixedBytes, schedAttr, schedCalls } from './layouts.ts'
import type { Libc } from './libc.ts'

/** The shortest slice of the scheduler, nanoseconds. */
export const minSlice = 100_000

/**
 * Asks the scheduler for slices of so many nanoseconds for a thread (0: the one that calls). A thread with short slices waits
 * less: it preempts threads with longer slices as soon as it can run. Needs Linux 6.12 and no privileges; elsewhere nothing
 * changes, nor for a thread that an operator gave another policy than the usual one.
 */
export function setThreadSlice(libc: Libc, nanoseconds: number, thread = 0): void {
  const attributes = readAttributes(libc, thread)
  if (attributes === undefined || attributes.view.getUint32(schedAttr.policy, true) !== 0) return
  attributes.view.setBigUint64(schedAttr.runtime, BigInt(nanoseconds), true)
  libc.call.syscall(schedCalls(process.arch).set, thread, libc.pointerTo(attributes.bytes), 0, 0)
}

/** The slice of a thread, nanoseconds; undefined where the kernel does not report it. */
export function threadSlice(libc: Libc, thread = 0): number | undefined {
  const attributes = readAttributes(libc, thread)
  return attributes === undefined ? undefined : Number(attributes.view.getBigUint64(schedAttr.runtime, true))
}

function readAttributes(libc: Libc, thread: number) {
  const bytes = fixedBytes(schedAttr.size)
  const { get } = schedCalls(process.arch)
  if (libc.call.syscall(get, thread, libc.pointerTo(bytes), schedAttr.size, 0) < 0n) return undefined
  return { bytes, view: new DataView(bytes.buffer) }
}
