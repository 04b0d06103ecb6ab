import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import { HostInfo } from '../host/schema.ts'
import { ToolUpdate, Updates } from './schema.ts'
import type { Updater } from './updates.ts'

/** The host and the tools. */
export function systemRoutes({ updates, host }: { updates: Updater; host: () => Promise<HostInfo> }): Route[] {
  const shared = { tag: 'System', access: 'member' } as const
  const changed = { status: 200, body: ToolUpdate } as const
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/updates',
        summary: 'Versions of the service and its tools',
        limit: '30',
        success: { status: 200, body: Updates },
      },
      () => updates.check(),
    ),
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/updates/ytdlp',
        summary: 'Fetch the newest yt-dlp, try it, and use it when it works',
        limit: '2',
        success: changed,
        errors: [409, 502],
      },
      () => updates.updateYtDlp(),
    ),
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/updates/ytdlp/revert',
        summary: 'Go back to the previous yt-dlp',
        limit: '5',
        success: changed,
        errors: [409],
      },
      () => updates.revertYtDlp(),
    ),
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/system/host',
        summary: 'Disk, processor, memory and uptime of the host',
        limit: '60',
        success: { status: 200, body: HostInfo },
      },
      () => host(),
    ),
  ]
}
