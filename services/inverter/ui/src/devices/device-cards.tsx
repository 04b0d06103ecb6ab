import { ActionIcon, Menu } from '@mantine/core'
import { RelativeTime } from '@hearth/ui'
import { IconDots, IconPencil, IconTrash } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { AdminDevice } from '../api.ts'
import { Facts } from '../page-elements.tsx'
import { DeviceStateBadge, SimulatedBadge } from './device-badges.tsx'

/** All inverters, one card per inverter. */
export function DeviceCards(props: {
  devices: readonly AdminDevice[]
  onOpen: (dialog: 'edit' | 'remove', device: AdminDevice) => void
}) {
  return (
    <ul className="device-cards plain-list">
      {props.devices.map((device) => (
        <li key={device.device_id} className="hearth-card">
          <div className="device-card-head">
            <div className="device-line-name">
              <Link href={`/inverters/${encodeURIComponent(device.device_id)}`} className="hearth-name">
                {device.display_name}
              </Link>
              <SimulatedBadge device={device} />
            </div>
            <DeviceMenu device={device} onOpen={(dialog) => props.onOpen(dialog, device)} />
          </div>
          <DeviceStateBadge state={device.state} />
          <div className="device-card-facts">
            <Facts facts={deviceFacts(device)} />
          </div>
        </li>
      ))}
    </ul>
  )
}

/** Key facts about a device. */
export function deviceFacts(device: AdminDevice): [string, ReactNode][] {
  const roles = { standalone: 'Standalone', master: 'Primary', slave: 'Secondary' }
  return [
    ['ID', mono(device.device_id)],
    ['Address', mono(device.is_simulated ? 'built in' : `${device.host}:${device.port}`)],
    ...(device.network_id === null ? [] : [['Network id', device.network_id] as [string, ReactNode]]),
    ['Role', roles[device.role]],
    ['Firmware', device.firmware ?? '–'],
    ['Last response', <RelativeTime key="last" value={device.last_success_at} />],
    ['Charge limit', watts(device.max_charge_power_w)],
    ['Discharge limit', watts(device.max_discharge_power_w)],
    ['Engineering mode', device.engineering_mode ? 'On' : 'Off'],
  ]
}

const mono = (text: string) => <span className="hearth-mono">{text}</span>

const watts = (limit: number | null) => (limit === null ? 'not set' : `${limit.toLocaleString('en')} W`)

function DeviceMenu({ device, onOpen }: { device: AdminDevice; onOpen: (dialog: 'edit' | 'remove') => void }) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size={36} aria-label={`More for ${device.display_name}`}>
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconPencil size={16} aria-hidden />} onClick={() => onOpen('edit')}>
          Edit
        </Menu.Item>
        <Menu.Item
          leftSection={<IconTrash size={16} aria-hidden />}
          c="var(--hearth-bad)"
          onClick={() => onOpen('remove')}
        >
          Remove
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
