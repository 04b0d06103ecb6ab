import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createRingMemory, type LogEntry, LogRing } from '../src/dns/log-ring.ts'
import { LogRetention } from '../src/query-log/log-retention.ts'
import { LogWriter, type UpkeepEnd } from '../src/query-log/log-writer.ts'
import type { Forgetting } from '../src/query-log/upkeep.ts'

/** A name in wire form, with its final zero. */
export function wireOf(name: string): Uint8Array {
  const bytes: number[] = []
  for (const label of name === '' ? [] : name.split('.')) bytes.push(label.length, ...new TextEncoder().encode(label))
  return new Uint8Array([...bytes, 0])
}

/** An entry for a test: an answered A query of client 1, now, unless the test says otherwise. */
export function entryOf({
  name = 'example.com',
  ...rest
}: Partial<Omit<LogEntry, 'name'>> & { name?: string }): LogEntry {
  const wire = wireOf(name)
  const fields = { status: 0, reason: 0, source: 0, traits: 0, rcode: 0, type: 1, client: 1, upstream: 1 }
  return { ...fields, at: Date.now(), micros: 1500, ...rest, name: wire, nameLength: wire.length }
}

/** A clock that is believed from the start. */
export const alwaysSettled = { isSettled: () => true, hasJumped: () => false }

/** A log that a test fills: a ring and its writer, in the test's own thread. */
export function createTestLog(file: string, { days = 30, settled = alwaysSettled, bytes = 1 << 20 } = {}) {
  const memory = createRingMemory(bytes)
  const ring = new LogRing(memory)
  const writer = new LogWriter(file, [memory], new LogRetention(days, settled))
  /** Puts entries into the ring, and what is there into the file. */
  const log = (...entries: Parameters<typeof entryOf>[0][]): number => {
    for (const entry of entries) ring.append(entryOf(entry))
    ring.publish()
    return writer.write()
  }
  /** All that is to be forgotten, forgotten. */
  const settle = (): void => {
    while (writer.hasUpkeep) writer.work()
  }
  const purge = (forgetting: Forgetting): UpkeepEnd => {
    const ends: UpkeepEnd[] = []
    writer.purge(forgetting, (end) => ends.push(end))
    settle()
    return ends[0] ?? { removed: 0, error: 'it did not end' }
  }
  return { ring, writer, log, settle, purge }
}

/** Resolves to true if a text stands anywhere in the files beside this one, this one included. */
export async function isInFiles(file: string, text: string): Promise<boolean> {
  const names = await readdir(dirname(file))
  const contents = await Promise.all(names.map((name) => readFile(join(dirname(file), name))))
  return contents.some((content) => content.includes(text))
}
