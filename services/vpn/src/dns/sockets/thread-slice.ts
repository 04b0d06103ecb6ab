import { fixedBytes, schedAttr, schedCalls } from './layouts.ts'
import type { Libc } from './libc.ts'

/** The shortest turn the scheduler gives, nanoseconds. */
export const minSlice = 100_000

/**
 * Asks the scheduler for slices of so many nanoseconds for a thread (0: the one that calls). Who has short turns waits less for
 * one: it interrupts what has longer ones as soon as it has something to do. From Linux 6.12 on, and anybody may; elsewhere
 * nothing changes, nor for a thread that an operator gave another policy than the usual one.
 */
export function setThreadSlice(libc: Libc, nanoseconds: number, thread = 0): void {
  const attributes = readAttributes(libc, thread)
  if (attributes === undefined || attributes.view.getUint32(schedAttr.policy, true) !== 0) return
  attributes.view.setBigUint64(schedAttr.runtime, BigInt(nanoseconds), true)
  libc.call.syscall(schedCalls(process.arch).set, thread, libc.pointerTo(attributes.bytes), 0, 0)
}

/** The turns a thread has, nanoseconds; undefined where the kernel does not say. */
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
