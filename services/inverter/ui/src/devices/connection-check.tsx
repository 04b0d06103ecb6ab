import { Text, VisuallyHidden } from '@mantine/core'
import { answer } from '@hearth/ui'
import { IconAlertTriangle, IconCircleCheck, IconCircleX } from '@tabler/icons-react'
import { api, type Schemas } from '../api.ts'
import { ConnectionTest } from '../connection/connection-test.tsx'

type Result = Schemas['ConnectionResult']
type Step = Result['steps'][number]

/** A button that tests the connection to an inverter at an address, with the steps of the test. */
export function ConnectionCheck({
  address,
  disabled = false,
}: {
  address: () => Schemas['ConnectionTest']
  disabled?: boolean
}) {
  return (
    <ConnectionTest
      test={() => answer(api.POST('/admin/api/connection-test', { body: address() }))}
      outcomeOf={outcomeOf}
      disabled={disabled}
    />
  )
}

const outcomeOf = (result: Result) => ({
  works: result.reachable,
  text: result.reachable ? `Connected in ${result.took_ms} ms.` : result.detail,
  more: <Details result={result} />,
})

function Details({ result }: { result: Result }) {
  // The failed step is the headline already.
  const steps = result.steps.map((step) => (step.state === 'failed' ? { ...step, text: '' } : step))
  return (
    <>
      <div className="connection-facts">
        {detailsOf(result).map(([name, value]) => (
          <Text key={name} size="sm">
            <span className="hearth-dimmed">{name}</span> {value.replaceAll('_', ' ')}
          </Text>
        ))}
      </div>
      <ul className="plain-list connection-steps">
        {steps.map((step) => (
          <StepLine key={step.name} step={step} />
        ))}
      </ul>
    </>
  )
}

const icons = { ok: IconCircleCheck, warning: IconAlertTriangle, failed: IconCircleX } as const
const words = { ok: 'OK', warning: 'Warning', failed: 'Failed' } as const

function StepLine({ step: { state, text, advice } }: { step: Step }) {
  const Icon = icons[state]
  if (text === '' && advice === null) return null
  return (
    <li data-state={state}>
      <Icon size={16} aria-hidden />
      <span>
        <VisuallyHidden>{words[state]}: </VisuallyHidden>
        {text} {advice !== null && <span className="connection-advice">{advice}</span>}
      </span>
    </li>
  )
}

function detailsOf({ serial, firmware, state }: Result): [string, string][] {
  const details = Object.entries({ 'Serial number': serial, Firmware: firmware, State: state })
  return details.flatMap(([name, value]) => (value === null ? [] : [[name, value]]))
}
