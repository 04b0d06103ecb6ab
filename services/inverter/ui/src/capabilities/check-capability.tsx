import { answer, describeError } from '@hearth/ui'
import { Button, Group } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck, IconCircleX, IconStethoscope } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { api, type Capability, type Schemas } from '../api.ts'
import { IconButton, Notice } from '../page-elements.tsx'
import { capabilityPlans } from './capability-texts.ts'

type Check = Schemas['CapabilityCheck']

const explanations: Record<Check['name'], string> = {
  battery_power_sign_convention: 'Reads for some seconds what the house uses and what comes in. Writes nothing.',
  grid_power_sign_convention: 'Reads for some seconds what the house uses and what comes in. Writes nothing.',
  write_path_convention:
    'Moves the target of the external control by one percent and puts it back. It has no effect while nobody controls the battery. Needs write access, and power_mng_soc_target_set approved.',
}

const isChecked = (name: Capability['name']): name is Check['name'] => name in explanations

/** A button that checks a capability on the inverter, and what the check found; nothing for one that has no check. */
export function CheckCapability(props: {
  deviceId: string
  name: Capability['name']
  onRecord: (evidence: Partial<Capability>) => void
}) {
  const { deviceId, name, onRecord } = props
  return isChecked(name) ? <CheckButton deviceId={deviceId} name={name} onRecord={onRecord} /> : null
}

function CheckButton(props: {
  deviceId: string
  name: Check['name']
  onRecord: (evidence: Partial<Capability>) => void
}) {
  const { deviceId, name, onRecord } = props
  const check = useMutation({
    networkMode: 'always',
    mutationFn: () => {
      const params = { path: { device_id: deviceId, name } }
      return answer(api.POST('/admin/api/dispatch/devices/{device_id}/capabilities/{name}/check', { params }))
    },
  })
  return (
    <div className="capability-check">
      <Group gap="sm">
        <IconButton
          icon={IconStethoscope}
          size="xs"
          loading={check.isPending}
          onClick={() => check.mutate()}
          aria-label={`Check on the inverter: ${capabilityPlans[name].title}`}
        >
          Check on the inverter
        </IconButton>
        <small className="hearth-dimmed">{explanations[name]}</small>
      </Group>
      <div aria-live="polite">
        {check.error !== null && !check.isPending && (
          <Notice color="red" icon={IconCircleX} mt={10} mb={0}>
            {describeError(check.error)}
          </Notice>
        )}
        {check.data !== undefined && !check.isPending && <Finding check={check.data} onRecord={onRecord} />}
      </div>
    </div>
  )
}

const looks = {
  found: { color: 'green', icon: IconCircleCheck },
  inconclusive: { color: 'yellow', icon: IconAlertTriangle },
  failed: { color: 'red', icon: IconCircleX },
} as const

function Finding({ check, onRecord }: { check: Check; onRecord: (evidence: Partial<Capability>) => void }) {
  const { outcome, steps, detail, evidence } = check
  const record = () => onRecord({ ...evidence, note: `Checked by Hearth: ${detail}`.slice(0, 200) })
  return (
    <Notice
      {...looks[outcome]}
      mt={10}
      mb={0}
      more={
        <>
          <ul className="capability-steps">
            {steps.map((step, index) => (
              // Two readings may be the same; their order never changes.
              // eslint-disable-next-line react/no-array-index-key
              <li key={index}>{step}</li>
            ))}
          </ul>
          {outcome === 'found' && (
            <Button size="xs" variant="default" onClick={record}>
              Record this
            </Button>
          )}
        </>
      }
    >
      {detail}
    </Notice>
  )
}
