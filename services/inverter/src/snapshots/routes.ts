import type { Route } from '@hearth/http'
import { z } from 'zod'
import { route } from '../access.ts'
import { DeviceParams } from '../metrics/schema.ts'
import {
  DifferencesQuery,
  Snapshot,
  SnapshotChange,
  SnapshotContent,
  SnapshotCreate,
  SnapshotDifferences,
  SnapshotList,
  SnapshotParams,
  SnapshotSettings,
} from './schema.ts'
import type { Snapshots } from './snapshots.ts'

const shared = { tag: 'Parameters', access: 'admin', limit: 'counted' } as const
const base = '/admin/api/devices/{device_id}/snapshots'

/** Snapshots of the parameters of an inverter. */
export function snapshotRoutes(snapshots: Snapshots): Route[] {
  return [...listRoutes(snapshots), ...memberRoutes(snapshots), ...fileRoutes(snapshots), ...settingRoutes(snapshots)]
}

function listRoutes(snapshots: Snapshots): Route[] {
  const common = { ...shared, params: DeviceParams } as const
  return [
    route(
      {
        ...common,
        method: 'GET',
        path: base,
        summary: 'Snapshots of the parameters, newest first',
        success: { status: 200, body: SnapshotList },
        errors: [404],
      },
      ({ params }) => snapshots.list(params.device_id),
    ),
    route(
      {
        ...common,
        method: 'POST',
        path: base,
        summary: 'Take a snapshot',
        description: 'Answers at once; the parameters are read one after the other behind all other requests.',
        body: SnapshotCreate,
        success: { status: 202, body: Snapshot },
        errors: [404, 409],
      },
      ({ params, body, caller }) => snapshots.take(params.device_id, { ...body, by: caller.name }),
    ),
    route(
      {
        ...common,
        method: 'POST',
        path: '/admin/api/devices/{device_id}/snapshots:cancel',
        summary: 'End the reading of a snapshot; what was read is kept',
        success: { status: 200, body: SnapshotList },
        errors: [404],
      },
      ({ params }) => snapshots.cancel(params.device_id),
    ),
    route(
      {
        ...common,
        method: 'GET',
        path: '/admin/api/devices/{device_id}/snapshot-differences',
        summary: 'Parameters that differ between two snapshots, and who changed them',
        query: DifferencesQuery,
        success: { status: 200, body: SnapshotDifferences },
        errors: [404, 409],
      },
      ({ params, query }) => snapshots.compare(params.device_id, query),
    ),
  ]
}

function memberRoutes(snapshots: Snapshots): Route[] {
  const member = { ...shared, path: `${base}/{snapshot_id}`, params: SnapshotParams } as const
  return [
    route(
      {
        ...member,
        method: 'GET',
        summary: 'A snapshot with its values',
        success: { status: 200, body: SnapshotContent },
        errors: [404],
      },
      ({ params }) => snapshots.read(params.device_id, params.snapshot_id),
    ),
    route(
      {
        ...member,
        method: 'PATCH',
        summary: 'Change name and note',
        description: 'A snapshot with a name is not deleted for a newer one. An empty text takes the name away.',
        body: SnapshotChange,
        success: { status: 200, body: Snapshot },
        errors: [404, 409],
      },
      ({ params, body }) => snapshots.rename(params.device_id, params.snapshot_id, body),
    ),
    route(
      {
        ...member,
        method: 'DELETE',
        summary: 'Delete a snapshot',
        success: { status: 200, body: z.object({ message: z.string() }).meta({ id: 'Message' }) },
        errors: [404],
      },
      async ({ params }) => {
        await snapshots.remove(params.device_id, params.snapshot_id)
        return { message: `Snapshot ${params.snapshot_id} deleted` }
      },
    ),
    route(
      {
        ...member,
        method: 'POST',
        path: `${base}/{snapshot_id}/resume`,
        summary: 'Go on with an interrupted snapshot',
        success: { status: 202, body: Snapshot },
        errors: [404, 409],
      },
      ({ params }) => snapshots.resume(params.device_id, params.snapshot_id),
    ),
  ]
}

function fileRoutes(snapshots: Snapshots): Route[] {
  const common = { ...shared, method: 'GET', params: SnapshotParams, errors: [404] } as const
  const nameOf = ({ device_id: device, snapshot_id: id }: z.output<typeof SnapshotParams>) =>
    `parameters-${device}-${id}`
  return [
    route(
      {
        ...common,
        path: `${base}/{snapshot_id}/values.csv`,
        summary: 'A snapshot as a CSV file',
        success: { status: 200, media: 'text/csv', description: 'Comma-separated values with a heading' },
      },
      async ({ params, isHead }) => ({
        content: isHead ? '' : await snapshots.csv(params.device_id, params.snapshot_id),
        fileName: `${nameOf(params)}.csv`,
      }),
    ),
    route(
      {
        ...common,
        path: `${base}/{snapshot_id}/values.json`,
        summary: 'A snapshot as a JSON file',
        success: {
          status: 200,
          media: 'application/json',
          description: 'A SnapshotContent',
          schema: SnapshotContent,
        },
      },
      async ({ params, isHead }) => ({
        content: isHead
          ? ''
          : `${JSON.stringify(await snapshots.read(params.device_id, params.snapshot_id), null, 2)}\n`,
        fileName: `${nameOf(params)}.json`,
      }),
    ),
  ]
}

function settingRoutes(snapshots: Snapshots): Route[] {
  const common = {
    ...shared,
    path: '/admin/api/snapshot-settings',
    success: { status: 200, body: SnapshotSettings },
  } as const
  return [
    route({ ...common, method: 'GET', summary: 'When snapshots are taken, and how many are kept' }, () =>
      snapshots.settings(),
    ),
    route(
      {
        ...common,
        method: 'PUT',
        summary: 'Replace the settings of the snapshots',
        body: SnapshotSettings,
      },
      ({ body }) => snapshots.change(body),
    ),
  ]
}
