import { routeFor, type Route } from '@hearth/http'
import type { z } from 'zod'
import type { ListNeighbours } from './neighbours.ts'
import { NeighbourList } from './schema.ts'

/** The form that a service gives the route of its neighbours. */
export interface NeighbourRouteForm {
  readonly path: string
  readonly tag: string
  readonly access: string
  readonly limit: string
  /** Puts the list into the service's envelope; left out, the list is the answer. */
  readonly envelope?: { readonly schema: z.ZodType; readonly wrap: (list: NeighbourList) => unknown }
}

const route = routeFor<Record<string, unknown>, string>()

/** Returns the route that lists the other Hearth services. */
export function neighbourRoute(neighbours: ListNeighbours, { envelope, ...form }: NeighbourRouteForm): Route {
  return route(
    {
      ...form,
      method: 'GET',
      summary: 'The other Hearth services that answer',
      success: { status: 200, body: envelope?.schema ?? NeighbourList },
    },
    async ({ client }) => {
      const list = await neighbours(client)
      return envelope === undefined ? list : envelope.wrap(list)
    },
  )
}
