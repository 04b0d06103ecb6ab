import type { Route } from '@hearth/http'
import { z } from 'zod'
import { route } from '../access.ts'
import { DeviceParams } from '../metrics/schema.ts'
import type { Plans } from './plans.ts'
import { PlanDays, PlanPastDay } from './day-schema.ts'
import { DevicePlan, PlanChange, PlanChoices, PlanPause, PlanSettingsView } from './schema.ts'

/** Plans for the battery: reading them, changing them by hand, and their settings. */
export const planRoutes = (plans: Plans): Route[] => [
  ...readingRoutes(plans),
  ...dayRoutes(plans),
  ...handRoutes(plans),
]

const shared = { tag: 'Administration', access: 'admin', limit: 'counted' } as const
const path = '/admin/api/plan'

function readingRoutes(plans: Plans): Route[] {
  return [
    route(
      {
        method: 'GET',
        path: '/api/v1/devices/{device_id}/plan',
        tag: 'Plan',
        summary: 'The plan for the battery, why it is so, and what the last days cost',
        description: 'Between its blocks the inverter decides by itself.',
        access: 'read',
        limit: 'counted',
        params: DeviceParams,
        success: { status: 200, body: DevicePlan },
        errors: [404],
      },
      ({ params }) => plans.read(params.device_id),
    ),
    route(
      {
        ...shared,
        method: 'GET',
        path,
        summary: 'Settings of the plans',
        success: { status: 200, body: PlanSettingsView },
      },
      () => plans.view(),
    ),
    route(
      {
        ...shared,
        method: 'PUT',
        path,
        summary: 'Replace the settings of the plans',
        description: 'Takes effect immediately. What a plan does is ended first.',
        body: PlanChange,
        success: { status: 200, body: PlanSettingsView },
      },
      async ({ body }) => {
        await plans.change(body)
        return plans.view()
      },
    ),
  ]
}

const DayParams = DeviceParams.extend({ date: z.iso.date() })

function dayRoutes(plans: Plans): Route[] {
  const reading = { method: 'GET', tag: 'Plan', access: 'read', limit: 'counted', errors: [404] } as const
  const daysPath = '/api/v1/devices/{device_id}/plan/days'
  return [
    route(
      {
        ...reading,
        path: daysPath,
        summary: 'What the days cost on which plans were carried out',
        params: DeviceParams,
        success: { status: 200, body: PlanDays },
      },
      ({ params }) => plans.days(params.device_id),
    ),
    route(
      {
        ...reading,
        path: `${daysPath}/{date}`,
        summary: 'What was planned for a day, what happened, and what it cost',
        params: DayParams,
        success: { status: 200, body: PlanPastDay },
      },
      ({ params }) => plans.day(params.device_id, params.date),
    ),
  ]
}

function handRoutes(plans: Plans): Route[] {
  const device = { params: DeviceParams, success: { status: 200, body: DevicePlan }, errors: [404, 409] } as const
  return [
    route(
      {
        ...shared,
        ...device,
        method: 'POST',
        path: `${path}/devices/{device_id}/renew`,
        summary: 'Load prices and forecast and make a plan now',
      },
      ({ params }) => plans.renew(params.device_id),
    ),
    route(
      {
        ...shared,
        ...device,
        method: 'PUT',
        path: `${path}/devices/{device_id}/choices`,
        summary: 'Set by hand what the plan has to do at some times',
        description: 'Replaces what was set before; the rest is planned around it.',
        body: PlanChoices,
      },
      ({ params, body }) => plans.choose(params.device_id, body.choices),
    ),
    route(
      {
        ...shared,
        ...device,
        method: 'PUT',
        path: `${path}/devices/{device_id}/pause`,
        summary: 'Pause carrying out, or go on with it',
        body: PlanPause,
      },
      ({ params, body }) => plans.pause(params.device_id, body.until),
    ),
  ]
}
