import { Section } from '@hearth/ui'
import { IconCircle, IconCircleCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { type AdminDevice, keys, readCapabilities, readSnapshots } from '../api.ts'
import { capabilityPlans } from '../capabilities/capability-texts.ts'

/** Capabilities that control of the battery needs, in the order to verify them. */
const needed = ['battery_power_sign_convention', 'grid_power_sign_convention', 'write_path_convention'] as const

interface FirstStep {
  text: string
  isDone: boolean
  /** Address of the page or section to do it in; undefined for a step that comes by itself. */
  href?: string
}

/** Steps after an inverter was added, until the battery can be controlled. */
export function FirstSteps({ device }: { device: AdminDevice }) {
  const { device_id: id } = device
  const capabilities = useQuery({ queryKey: [...keys.capabilities, id], queryFn: () => readCapabilities(id) })
  const list = useQuery({ queryKey: [...keys.snapshots, id], queryFn: () => readSnapshots(id) })
  if (capabilities.data === undefined || list.data === undefined) return null
  const isVerified = (name: string) =>
    capabilities.data.some((capability) => capability.name === name && capability.status === 'verified')
  if (needed.every(isVerified)) return null
  const path = `/inverters/${encodeURIComponent(id)}`
  const hasSnapshot = list.data.snapshots.some(({ origin, state }) => origin !== 'current' && state === 'complete')
  const steps: FirstStep[] = [
    { text: 'The inverter is connected', isDone: device.state === 'ok' || device.state === 'degraded' },
    { text: 'It says who it is: its firmware is known', isDone: device.firmware !== null },
    {
      text: 'Keep its parameters as they are now',
      isDone: hasSnapshot,
      href: `/parameters/${encodeURIComponent(id)}`,
    },
    ...needed.map((name) => ({
      text: `Verify: ${capabilityPlans[name].title}`,
      isDone: isVerified(name),
      href: `${path}#capability-${name}`,
    })),
    {
      text: 'Set the power limits, to control the battery',
      isDone: device.max_charge_power_w !== null && device.max_discharge_power_w !== null,
    },
  ]
  return (
    <Section title="First steps">
      <p className="hearth-dimmed section-lead">
        Reading works at once. Verify the three capabilities before you control the battery; each has a check that
        changes nothing for good.
      </p>
      <ol className="plain-list first-steps">
        {steps.map((step) => (
          <StepLine key={step.text} step={step} />
        ))}
      </ol>
    </Section>
  )
}

function StepLine({ step: { text, isDone, href } }: { step: FirstStep }) {
  const Icon = isDone ? IconCircleCheck : IconCircle
  return (
    <li data-done={isDone || undefined}>
      <Icon size={18} aria-hidden />
      <span>
        {href === undefined || isDone ? (
          text
        ) : href.includes('#') ? (
          <a className="hearth-link" href={href.slice(href.indexOf('#'))}>
            {text}
          </a>
        ) : (
          <Link className="hearth-link" href={href}>
            {text}
          </Link>
        )}{' '}
        <small className="hearth-dimmed">{isDone ? 'Done' : 'To do'}</small>
      </span>
    </li>
  )
}
