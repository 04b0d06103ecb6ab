import type { HostRoute } from './host-routes.ts'
import { isAnswer } from './host-routes.ts'
import type { Place } from './json-place.ts'

/** What a request meets one after the other: a handler, or steps under a condition. */
export type Step =
  | { readonly kind: 'always'; readonly handler: Place }
  | {
      readonly kind: 'when'
      readonly place: Place
      readonly sets: readonly Readonly<Record<string, Place>>[]
      readonly steps: readonly Step[]
      /** Whether it keeps others from being asked, though it may answer nothing itself. */
      readonly isExclusive: boolean
    }

/** The routes of a host in one line. What a subroute without a condition holds stands in its place. */
export function stepsOf(routes: readonly HostRoute[]): Step[] {
  return routes.flatMap(({ place, sets, group, isTerminal, handlers }): Step[] => {
    const steps = handlers.flatMap((handler): Step[] =>
      handler.routes === undefined ? [{ kind: 'always', handler: handler.place }] : stepsOf(handler.routes),
    )
    return sets.length === 0
      ? steps
      : [{ kind: 'when', place, sets, steps, isExclusive: isTerminal || group !== undefined }]
  })
}

/** Whether no request gets past the steps. */
export function endsAlways(steps: readonly Step[]): boolean {
  return steps.some((step) => step.kind === 'always' && isAnswer(step.handler))
}
