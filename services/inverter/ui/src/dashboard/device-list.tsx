import { RelativeTime } from '@hearth/ui'
import { Link } from 'wouter'
import type { AdminDevice } from '../api.ts'
import { DeviceStateBadge, SimulatedBadge } from '../devices/device-badges.tsx'

/** All inverters with their states. */
export function DeviceList({ devices }: { devices: readonly AdminDevice[] }) {
  return (
    <ul className="device-lines">
      {devices.map((device) => (
        <li key={device.device_id}>
          <span className="device-line-name">
            <Link href={`/inverters/${encodeURIComponent(device.device_id)}`} className="hearth-name">
              {device.display_name}
            </Link>
            <SimulatedBadge device={device} />
          </span>
          <span className="hearth-dimmed">
            last answer <RelativeTime value={device.last_success_at} />
          </span>
          <DeviceStateBadge state={device.state} />
        </li>
      ))}
    </ul>
  )
}
