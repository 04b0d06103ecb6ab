import type { LogEntry } from './ring.ts'

/** A name in wire form, with its final zero. */
export function wireOf(name: string): Uint8Array {
  const bytes: number[] = []
  for (const label of name === '' ? [] : name.split('.')) bytes.push(label.length, ...new TextEncoder().encode(label))
  return new Uint8Array([...bytes, 0])
}

/** An entry for a test: an answered A query of client 1, now, unless told otherwise. */
export function entryOf({
  name = 'example.com',
  ...rest
}: Partial<Omit<LogEntry, 'name'>> & { name?: string }): LogEntry {
  const wire = wireOf(name)
  const fields = { status: 0, reason: 0, source: 0, traits: 0, rcode: 0, type: 1, client: 1, upstream: 1 }
  return { ...fields, at: Date.now(), micros: 1500, ...rest, name: wire, nameLength: wire.length }
}
