import type { Log } from '@hearth/runtime'
import type { ResolverState } from './messages.ts'
import { superviseResolver, type ResolverSupervisor } from './supervisor.ts'

/** Who wants to know how the resolver does. */
export interface ResolverListener {
  readonly stateChanged: (state: ResolverState | undefined) => void
  /** So many queries were answered since. */
  readonly answered: (count: number) => void
}

/** The supervised resolver; the service may come to it later than it starts. */
export interface RunningResolver extends ResolverSupervisor {
  /** Where its warnings go from now on, those from before too. */
  attach(log: Pick<Log, 'warn'>): void
  listen(listener: ResolverListener): void
}

/** Most warnings that are kept for a log that comes later. */
const mostKept = 100

/** Starts the resolver by the files in `DATA_DIR/dns`; without them it waits for them. */
export function startResolver(directory: string): RunningResolver {
  const kept: string[] = []
  let log: Pick<Log, 'warn'> | undefined
  let listener: ResolverListener | undefined
  const supervisor = superviseResolver({
    directory,
    warn(message) {
      if (log !== undefined) log.warn(message)
      else if (kept.length < mostKept) kept.push(message)
    },
    stateChanged: (state) => listener?.stateChanged(state),
    answered: (count) => listener?.answered(count),
  })
  return {
    ...supervisor,
    attach(given) {
      log = given
      for (const message of kept.splice(0)) given.warn(message)
    },
    listen(given) {
      listener = given
      given.stateChanged(supervisor.state())
    },
  }
}
