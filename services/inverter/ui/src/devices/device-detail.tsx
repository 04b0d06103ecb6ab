import { Button } from '@mantine/core'
import { PageHeader, Section } from '@hearth/ui'
import { IconArrowLeft, IconBatteryAutomotive, IconCamera, IconPencil, IconTrash } from '@tabler/icons-react'
import { Link } from 'wouter'
import type { AdminDevice } from '../api.ts'
import { CapabilitySection } from '../capabilities/capability-section.tsx'
import { Facts, IconButton } from '../page-elements.tsx'
import { ConnectionBanner } from './device-banners.tsx'
import { ConnectionCheck } from './connection-check.tsx'
import { DeviceStateBadge, SimulatedBadge, stateDescriptions } from './device-badges.tsx'
import { deviceFacts } from './device-cards.tsx'
import { FirstSteps } from './first-steps.tsx'
import { FurtherInverters } from './further-inverters.tsx'
import { InverterLog } from './inverter-log.tsx'
import { EngineeringMode, LimitsForm } from './limits-form.tsx'

/** One inverter in full. */
export function DeviceDetail(props: {
  device: AdminDevice
  devices: readonly AdminDevice[]
  onOpen: (dialog: 'edit' | 'remove') => void
}) {
  const { device, devices, onOpen } = props
  return (
    <>
      <Link href="/inverters" className="hearth-link back-link">
        <IconArrowLeft size={16} aria-hidden /> All inverters
      </Link>
      <PageHeader
        title={device.display_name}
        description={
          <span className="device-line-name">
            <DeviceStateBadge state={device.state} /> <SimulatedBadge device={device} />{' '}
            {stateDescriptions[device.state]}
          </span>
        }
        actions={
          <>
            <Button
              component={Link}
              href={`/energy/${encodeURIComponent(device.device_id)}`}
              variant="default"
              leftSection={<IconBatteryAutomotive size={16} aria-hidden />}
            >
              Control battery
            </Button>
            <Button
              component={Link}
              href={`/parameters/${encodeURIComponent(device.device_id)}`}
              variant="default"
              leftSection={<IconCamera size={16} aria-hidden />}
            >
              Parameters
            </Button>
            <IconButton icon={IconPencil} onClick={() => onOpen('edit')}>
              Edit
            </IconButton>
            <IconButton icon={IconTrash} c="var(--hearth-bad)" onClick={() => onOpen('remove')}>
              Remove
            </IconButton>
          </>
        }
      />
      <ConnectionBanner device={device} />
      <div className="first-steps-place">
        <FirstSteps device={device} />
      </div>
      <div className="device-columns">
        <Section title="Connection">
          <Facts facts={deviceFacts(device)} />
          {!device.is_simulated && (
            <div className="section-foot">
              <ConnectionCheck
                address={() => ({ host: device.host, port: device.port, network_id: device.network_id })}
              />
              <FurtherInverters device={device} devices={devices} />
            </div>
          )}
        </Section>
        <div className="hearth-stack">
          <LimitsForm key={`${device.max_charge_power_w} ${device.max_discharge_power_w}`} device={device} />
          <EngineeringMode device={device} />
        </div>
      </div>
      <div className="hearth-stack">
        <CapabilitySection device={device} />
        <InverterLog deviceId={device.device_id} />
      </div>
    </>
  )
}
