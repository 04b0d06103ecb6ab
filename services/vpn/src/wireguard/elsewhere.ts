import type { TunnelState } from './tunnel-controller.ts'

/** Interfaces that other hosts run: nothing of them is on this one. */
export interface Elsewhere {
  has(name: string): boolean
  /** State that the host of an interface reported. */
  state(name: string): TunnelState
  /** Called when something of an interface changed. */
  changed(name: string): void
}

/** No interface is elsewhere. */
export const nothingElsewhere: Elsewhere = {
  has: () => false,
  state: () => ({ status: 'down', reason: null }),
  changed: () => undefined,
}
