import type { Route } from '@hearth/http'
import { z } from 'zod'
import { route, type Caller } from '../access.ts'
import type { Metrics } from './metrics.ts'
import type { MetricWrites } from './write-metric.ts'
import {
  ActionParams,
  ActionResult,
  BatchQuery,
  DeviceParams,
  Metric,
  MetricBatch,
  MetricParams,
  MetricValue,
  SingleQuery,
  WriteBody,
  WriteResult,
} from './schema.ts'

/** Values of the inverters: lists, readings, writes, actions. */
export function metricRoutes(metrics: Metrics, writes: MetricWrites): Route[] {
  return [...readRoutes(metrics), ...writeRoutes(writes)]
}

/** Statuses with which a device can fail. */
const errors = [404, 409, 502, 503, 504]

function readRoutes(metrics: Metrics): Route[] {
  const shared = { method: 'GET', tag: 'Metrics', access: 'read', limit: 'counted' } as const
  return [
    route(
      {
        ...shared,
        path: '/api/v1/metrics',
        summary: 'All metrics of the object registry',
        success: { status: 200, body: z.array(Metric) },
      },
      () => metrics.list(),
    ),
    route(
      {
        ...shared,
        path: '/api/v1/devices/{device_id}/metrics',
        summary: 'Read several metrics',
        description:
          'Without `names` all preselected metrics. At most 32 names, with fresh=true at most 8. Failures of single metrics stand in `errors`.',
        params: DeviceParams,
        query: BatchQuery,
        success: { status: 200, body: MetricBatch },
        errors,
      },
      ({ params, query }) => metrics.readSeveral(params.device_id, query),
    ),
    route(
      {
        ...shared,
        path: '/api/v1/devices/{device_id}/metrics/{metric_name}',
        summary: 'Read one metric',
        params: MetricParams,
        query: SingleQuery,
        success: { status: 200, body: MetricValue },
        errors,
      },
      ({ params, query }) => metrics.readOne(params.device_id, params.metric_name, query.fresh),
    ),
  ]
}

function writeRoutes(writes: MetricWrites): Route[] {
  const shared = { tag: 'Metrics', access: 'write-access', limit: 'counted', body: WriteBody, errors } as const
  const causeOf = ({ name, via }: Caller) => ({ caller: name, cause: via.kind === 'token' ? 'api' : 'admin' }) as const
  return [
    route(
      {
        ...shared,
        method: 'PUT',
        path: '/api/v1/devices/{device_id}/metrics/{metric_name}',
        summary: 'Write a metric',
        description: 'In the unit the metric reports. Answers when the device reads as written.',
        params: MetricParams,
        success: { status: 200, body: WriteResult },
      },
      ({ params, body, caller }) =>
        writes.write(params.device_id, { name: params.metric_name, value: body.value, ...causeOf(caller) }),
    ),
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/v1/devices/{device_id}/actions/{action_name}',
        summary: 'Trigger an action',
        description: 'The device does not confirm actions. Write 0 before repeating one.',
        params: ActionParams,
        success: { status: 200, body: ActionResult },
      },
      ({ params, body, caller }) =>
        writes.triggerAction(params.device_id, { name: params.action_name, value: body.value, ...causeOf(caller) }),
    ),
  ]
}
