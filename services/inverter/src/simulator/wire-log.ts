import type { Frame } from '../protocol/frame.ts'

/** One thing that went over the wire, as the inverter saw it. */
export interface WireEntry {
  /** Monotonic milliseconds. */
  readonly at: number
  /** Number of the connection, counted from 1; 0 for what went to everybody. */
  readonly connection: number
  readonly direction: 'in' | 'out'
  /** The received frame, when it was one. */
  readonly frame: Frame | undefined
  readonly bytes: string
}

const longest = 10_000

/** The last things that went over the wire. */
export class WireLog {
  readonly entries: WireEntry[] = []

  add(entry: WireEntry): void {
    this.entries.push(entry)
    if (this.entries.length > longest) this.entries.splice(0, longest / 10)
  }
}
