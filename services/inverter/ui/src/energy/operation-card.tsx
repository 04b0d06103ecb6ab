import { answer, Fact, RelativeTime, Section, StatusBadge, type Tone, useAction } from '@hearth/ui'
import { Button, Group, Progress, Text } from '@mantine/core'
import { IconAlertTriangle, IconPlayerStop } from '@tabler/icons-react'
import { api, type EnergyDevice, keys } from '../api.ts'
import { Notice } from '../page-elements.tsx'
import { batteryDirection } from '../values/energy-flow.ts'
import { power, spell } from '../values/quantity.ts'
import { isBusy, states, stopReasons, actions } from './energy-texts.ts'

const tones: Record<EnergyDevice['state'], Tone> = {
  automatic: 'quiet',
  starting: 'accent',
  charging: 'good',
  discharging: 'good',
  holding: 'good',
  stopping: 'accent',
  fault: 'bad',
}

interface OperationProps {
  energy: EnergyDevice
  /** State of charge, 0 to 1. */
  soc: number | undefined
  /** Measured power of the battery, watts. */
  batteryW: number | undefined
}

/** The running operation, with a button to stop it. */
export function OperationCard({ energy, soc, batteryW }: OperationProps) {
  const params = { path: { device_id: energy.device_id } }
  const stop = useAction({
    run: () => answer(api.DELETE('/api/v1/devices/{device_id}/battery/dispatch', { params })),
    done: () => 'Stopped. Settings restored.',
    renew: [keys.energy, [...keys.journal, energy.device_id]],
  })
  return (
    <Section title="Status" actions={<StatusBadge tone={tones[energy.state]}>{states[energy.state]}</StatusBadge>}>
      <div className="hearth-stack" aria-live="polite">
        {isBusy(energy) ? <Operation energy={energy} soc={soc} batteryW={batteryW} /> : <Idle energy={energy} />}
        {energy.state === 'fault' && <Fault energy={energy} />}
        {isBusy(energy) && (
          <Group justify="flex-end">
            <Button
              color="red"
              variant="light"
              size="md"
              leftSection={<IconPlayerStop size={18} aria-hidden />}
              loading={stop.isPending || energy.state === 'stopping'}
              onClick={() => stop.mutate()}
            >
              Stop
            </Button>
          </Group>
        )}
      </div>
    </Section>
  )
}

function Idle({ energy }: { energy: EnergyDevice }) {
  const last = energy.stops[0]
  return (
    <Text className="hearth-dimmed">
      The inverter runs in automatic mode.
      {last !== undefined && (
        <>
          {' '}
          The last command ended <RelativeTime value={last.at} />: {lower(stopReasons[last.reason])}.
        </>
      )}
    </Text>
  )
}

const directions = { none: 'idle', charge: 'charging', discharge: 'discharging' } as const

/** One power with its direction, as it is commanded or measured. */
function PowerFigure(props: { label: string; watts: number | null; direction: keyof typeof directions | null }) {
  const { label, watts, direction } = props
  return (
    <Fact name={label}>
      {watts === null ? '–' : spell(power(watts))}
      <small> {direction === null ? 'unknown' : directions[direction]}</small>
    </Fact>
  )
}

function Operation({ energy, soc, batteryW }: OperationProps) {
  const measured =
    batteryW === undefined
      ? { watts: energy.measured_power_w, direction: energy.measured_direction }
      : { watts: Math.abs(batteryW), direction: batteryDirection(batteryW) }
  const target = energy.target_soc_percent
  return (
    <>
      <dl className="operation-power">
        <PowerFigure label="Commanded" watts={energy.commanded_power_w} direction={energy.commanded_direction} />
        <PowerFigure label="Measured" watts={measured.watts} direction={measured.direction} />
      </dl>
      {energy.deviation !== null && (
        <Notice icon={IconAlertTriangle} mb={0}>
          The battery does not follow the command. {energy.deviation.detail} First seen{' '}
          <RelativeTime value={energy.deviation.since} />.
        </Notice>
      )}
      {target !== null && (
        <div>
          <Text>
            Battery {soc === undefined ? '–' : Math.round(soc * 100)} %, target {target} %
          </Text>
          <Progress value={(soc ?? 0) * 100} mt={6} size="lg" color="green" aria-label="State of charge" />
        </div>
      )}
      <dl className="hearth-facts">
        <Fact name="Ends by">
          <RelativeTime value={energy.until} absent="–" />
        </Fact>
        {energy.power_limit_w !== null && (
          <Fact name="Power limit">
            {spell(power(energy.power_limit_w))}
            {energy.power_limit_clamped && ', limited by the inverter'}
          </Fact>
        )}
        <Fact name="Started by">
          {energy.action === null
            ? 'the dispatch API'
            : energy.mode === 'external'
              ? 'an API client'
              : 'an administrator'}
        </Fact>
      </dl>
      {energy.time_limited && (
        <Text className="hearth-dimmed">Time limit reduced: not all capabilities are verified.</Text>
      )}
    </>
  )
}

function Fault({ energy }: { energy: EnergyDevice }) {
  return (
    <Notice color="red" icon={IconAlertTriangle} mb={0}>
      The inverter settings could not be restored yet
      {energy.fault_code !== null && ` (${energy.fault_code.replaceAll('_', ' ')})`}; the service retries
      {energy.next_restore_at !== null && (
        <>
          , next try <RelativeTime value={energy.next_restore_at} />
        </>
      )}
      ; {energy.restore_attempts} {energy.restore_attempts === 1 ? 'attempt' : 'attempts'} so far. New commands are
      refused until then.
    </Notice>
  )
}

const lower = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)

/** The latest commands and their outcome. */
export function StopHistory({ energy }: { energy: EnergyDevice }) {
  return (
    <Section title="Command history">
      {energy.stops.length === 0 ? (
        <p className="hearth-dimmed stop-none">No commands yet.</p>
      ) : (
        <ol className="plain-list stop-list">
          {energy.stops.slice(0, 12).map((stop) => (
            <li key={stop.operation_id}>
              <b>{actions[stop.action].label}</b>
              <span>{stopReasons[stop.reason]}</span>
              <span className="hearth-dimmed">
                <RelativeTime value={stop.at} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </Section>
  )
}
