import type { Route } from '@hearth/http'
import { serviceHeader } from '@hearth/service'
import { z } from 'zod'
import { route } from '../access.ts'
import { Problem } from '../problems.ts'
import type { ReadinessReport } from './readiness.ts'
import { Readiness } from './schema.ts'

/** Liveness of the process and readiness of its devices. */
export function readinessRoutes(readiness: ReadinessReport, isStopping: () => boolean): Route[] {
  return [
    route(
      {
        method: 'GET',
        path: '/health',
        tag: 'General',
        summary: 'Liveness of the process; independent of the inverters',
        access: 'public',
        limit: 'none',
        success: { status: 200, body: z.object({ status: z.literal('ok') }).meta({ id: 'Liveness' }) },
        errors: [503],
      },
      ({ answer }) => {
        answer.header(serviceHeader, 'inverter')
        if (isStopping()) throw new Problem('shutting_down', 'The service is stopping')
        return { status: 'ok' as const }
      },
    ),
    route(
      {
        method: 'GET',
        path: '/api/v1/readiness',
        tag: 'General',
        summary: 'Readiness of all devices',
        access: 'read',
        limit: 'counted',
        success: { status: 200, body: Readiness },
        errors: [503],
      },
      () => readiness.read(),
    ),
  ]
}
