import { noEnvelope, routeFor, type Envelope, type Route } from '@hearth/http'
import type { ListNeighbours } from './neighbours.ts'
import { NeighbourList } from './schema.ts'

/** The form that a service gives the route of its neighbours. */
export interface NeighbourRouteForm {
  readonly path: string
  readonly tag: string
  readonly access: string
  readonly limit: string
  /** None by default. */
  readonly envelope?: Envelope
}

const route = routeFor<Record<string, unknown>, string>()

/** Returns the route that lists the other Hearth services. */
export function neighbourRoute(
  neighbours: ListNeighbours,
  { envelope: { schema, wrap } = noEnvelope, ...form }: NeighbourRouteForm,
): Route {
  return route(
    {
      ...form,
      method: 'GET',
      summary: 'The other Hearth services that answer',
      success: { status: 200, body: schema(NeighbourList) },
    },
    async ({ client }) => wrap(await neighbours(client)),
  )
}
