import { getPriority } from 'node:os'
import { fixedBytes, schedAttr, schedCalls } from './layouts.ts'
import type { Libc } from './libc.ts'

/**
 * Asks the scheduler for short turns for a thread (0: the one that calls), in nanoseconds; it takes 100,000 and more. Who has
 * short turns waits less for one: it interrupts what has longer ones as soon as it has something to do, whatever the priorities.
 * From Linux 6.12 on, and anybody may; elsewhere nothing changes.
 */
export function setThreadSlice(libc: Libc, nanoseconds: number, thread = 0): void {
  const attributes = fixedBytes(schedAttr.size)
  const view = new DataView(attributes.buffer)
  view.setUint32(0, schedAttr.size, true)
  view.setInt32(schedAttr.nice, getPriority(thread), true)
  view.setBigUint64(schedAttr.runtime, BigInt(nanoseconds), true)
  libc.call.syscall(schedCalls(process.arch).set, thread, libc.pointerTo(attributes), 0, 0)
}

/** The turns a thread has, nanoseconds; undefined where the kernel does not say. */
export function threadSlice(libc: Libc, thread = 0): number | undefined {
  const attributes = fixedBytes(schedAttr.size)
  const { get } = schedCalls(process.arch)
  if (libc.call.syscall(get, thread, libc.pointerTo(attributes), schedAttr.size, 0) < 0n) return undefined
  return Number(new DataView(attributes.buffer).getBigUint64(schedAttr.runtime, true))
}
