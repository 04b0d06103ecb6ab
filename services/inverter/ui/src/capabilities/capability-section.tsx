import { QueryState, RelativeTime, Section, StatusBadge } from '@hearth/ui'
import { Button } from '@mantine/core'
import { IconCopy, IconPencil, IconRosetteDiscountCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSearchParams } from 'wouter'
import { type AdminDevice, type Capability, keys, readCapabilities } from '../api.ts'
import { useDevices } from '../devices/device-select.tsx'
import { formatAnswer, capabilityPlans, firmwareOfOldVerification } from './capability-texts.ts'
import { CheckCapability } from './check-capability.tsx'
import { CopyCapabilities } from './copy-capabilities.tsx'
import { EditCapability } from './edit-capability.tsx'
import { IconButton } from '../page-elements.tsx'

/** The capabilities of a device and their verification. */
export function CapabilitySection({ device }: { device: AdminDevice }) {
  const [params, setParams] = useSearchParams()
  const [isCopying, setCopying] = useState(false)
  const [found, setFound] = useState<Partial<Capability>>()
  const devices = useDevices()
  const capabilities = useQuery({
    queryKey: [...keys.capabilities, device.device_id],
    queryFn: () => readCapabilities(device.device_id),
  })
  const edited = capabilities.data?.find(({ name }) => name === params.get('capability'))
  const edit = (capability: Capability | undefined, evidence?: Partial<Capability>) => {
    setFound(evidence)
    setParams(capability === undefined ? {} : { capability: capability.name }, { replace: true })
  }
  const others = (devices.data ?? []).filter(({ device_id }) => device_id !== device.device_id)
  return (
    <Section
      title="Capabilities"
      actions={
        others.length > 0 && (
          <IconButton icon={IconCopy} onClick={() => setCopying(true)}>
            Copy from another inverter
          </IconButton>
        )
      }
    >
      <p className="hearth-dimmed section-lead">
        Models and firmware differ. Verify the behaviour of this inverter and record it here before you control the
        battery.
      </p>
      <QueryState query={capabilities} lines={5} />
      <ul className="plain-list capability-list">
        {capabilities.data?.map((capability) => (
          <CapabilityRow
            key={capability.name}
            capability={capability}
            firmware={device.firmware}
            deviceId={device.device_id}
            onEdit={(evidence) => edit(capability, evidence)}
          />
        ))}
      </ul>
      {edited !== undefined && (
        <EditCapability
          key={edited.name}
          device={device}
          capability={edited}
          found={found}
          onClose={() => edit(undefined)}
        />
      )}
      {isCopying && <CopyCapabilities device={device} others={others} onClose={() => setCopying(false)} />}
    </Section>
  )
}

function CapabilityRow(props: {
  capability: Capability
  firmware: string | null
  deviceId: string
  onEdit: (evidence?: Partial<Capability>) => void
}) {
  const { capability, firmware, deviceId, onEdit } = props
  const plan = capabilityPlans[capability.name]
  const isVerified = capability.status === 'verified'
  const otherFirmware = firmwareOfOldVerification(capability, firmware)
  return (
    <li id={`capability-${capability.name}`}>
      <div className="capability-head">
        <h3>{plan.title}</h3>
        <StatusBadge
          tone={otherFirmware !== null ? 'warn' : isVerified ? 'good' : 'quiet'}
          icon={isVerified && otherFirmware === null ? IconRosetteDiscountCheck : undefined}
        >
          {otherFirmware !== null ? `Verified under firmware ${otherFirmware}` : isVerified ? 'Verified' : 'Unverified'}
        </StatusBadge>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPencil size={14} aria-hidden />}
          onClick={() => onEdit()}
          aria-label={`Edit ${plan.title}`}
        >
          Edit
        </Button>
      </div>
      <p className="hearth-dimmed">
        {plan.meaning} Needed for: {plan.needs.charAt(0).toLowerCase() + plan.needs.slice(1)}.
      </p>
      {otherFirmware !== null && (
        <p>
          The inverter runs firmware {firmware} now.{' '}
          {isVerified ? 'Verify it again.' : 'Commands that need it are refused until it is verified again.'}
        </p>
      )}
      <dl className="evidence">
        {plan.questions.map((question) => (
          <div key={question.field}>
            <dt>{question.label}</dt>
            <dd data-unknown={capability[question.field] === null || undefined}>
              {formatAnswer(capability, question)}
            </dd>
          </div>
        ))}
      </dl>
      <CheckCapability deviceId={deviceId} name={capability.name} onRecord={onEdit} />
      {(isVerified || capability.note !== null) && (
        <p className="capability-witness">
          {isVerified && (
            <>
              {capability.verified_device_model}, firmware {capability.verified_firmware}, by {capability.verified_by}{' '}
              <RelativeTime value={capability.verified_at} />.{' '}
            </>
          )}
          {capability.note !== null && <q>{capability.note}</q>}
        </p>
      )}
    </li>
  )
}
