import { answer, ErrorState, LoadingLines, PageHeader } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, keys, type Onboarding, type OnboardResult } from '../api.ts'
import { ConnectStep } from '../onboarding/connect-step.tsx'
import { DecideStep } from '../onboarding/decide-step.tsx'
import { DoneStep } from '../onboarding/done-step.tsx'
import { stepNames, stepPlace } from '../onboarding/onboarding-step.ts'
import { IconCheck } from '@tabler/icons-react'

/** From a Caddy that somebody else configured to one that is managed here. */
export function OnboardingPage() {
  const [result, setResult] = useState<OnboardResult>()
  const state = useQuery({ queryKey: keys.onboarding, queryFn: () => answer(api.GET('/api/caddy/onboarding')) })
  const settings = useQuery({ queryKey: keys.settings, queryFn: () => answer(api.GET('/api/v1/settings')) })
  const isRead = state.data !== undefined && settings.data !== undefined
  const error = state.data === undefined ? state.error : settings.data === undefined ? settings.error : null
  return (
    <>
      <PageHeader title="Take over Caddy" description="What Caddy serves now, and what becomes of it." />
      <div className="hearth-stack narrow-page">
        {!isRead && error === null && <LoadingLines lines={5} />}
        {error !== null && (
          <ErrorState
            error={error}
            onRetry={() => {
              void state.refetch()
              void settings.refetch()
            }}
          />
        )}
        {isRead && (
          <>
            <Steps names={stepNames} present={stepPlace(state.data)} />
            <Step
              state={state.data}
              email={settings.data.acme_email}
              result={result}
              isLooking={state.isFetching}
              onLookAgain={() => void state.refetch()}
              onDone={setResult}
            />
          </>
        )}
      </div>
    </>
  )
}

function Step(props: {
  state: Onboarding
  email: string
  result: OnboardResult | undefined
  isLooking: boolean
  onLookAgain: () => void
  onDone: (result: OnboardResult) => void
}) {
  const { state, email, result, onDone } = props
  if (state.step === 'done') return <DoneStep state={state} result={result} />
  if (state.step === 'node')
    return <ConnectStep state={state} onLookAgain={props.onLookAgain} isLooking={props.isLooking} onDone={onDone} />
  return <DecideStep key={state.running_sha256 ?? ''} state={state} email={email} onDone={onDone} />
}

/** A progress indicator of a few steps. */
function Steps({ names, present }: { names: readonly string[]; present: number }) {
  return (
    <ol className="steps" aria-label="Steps">
      {names.map((name, place) => (
        <li key={name} aria-current={place === present ? 'step' : undefined} data-done={place < present || undefined}>
          <span className="step-mark" aria-hidden>
            {place < present ? <IconCheck size={14} /> : place + 1}
          </span>
          {name}
        </li>
      ))}
    </ol>
  )
}
