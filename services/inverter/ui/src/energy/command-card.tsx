import { Section, CopyButton } from '@hearth/ui'
import { Button, Group, NumberInput, Slider, Text, UnstyledButton, VisuallyHidden, Code } from '@mantine/core'
import {
  IconBatteryCharging,
  IconBatteryVertical2,
  IconHandStop,
  IconRotate2,
  IconPlayerPlay,
} from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'wouter'
import type { EnergyAction, EnergyDevice } from '../api.ts'
import { actions, limitFor, unavailable, unmetFor } from './energy-texts.ts'
import { RequirementList } from './requirement-list.tsx'
import { StartDialog } from './start-dialog.tsx'

const icons = {
  charge: IconBatteryCharging,
  discharge: IconBatteryVertical2,
  hold: IconHandStop,
  auto: IconRotate2,
} as const

const order = ['charge', 'discharge', 'hold', 'auto'] as const

/** Manual battery commands. */
export function CommandCard({ energy }: { energy: EnergyDevice }) {
  const [action, setAction] = useState<EnergyAction>('charge')
  const [targets, setTargets] = useState({ charge: 80, discharge: 20 })
  const [watts, setWatts] = useState<number | string>('')
  const [isStarting, setStarting] = useState(false)
  const availability = energy.actions.find((other) => other.action === action)
  const limit = limitFor(action, energy)
  const power = watts === '' ? (limit ?? 0) : Number(watts)
  const unmet = unmetFor(action, energy)
  const isTargeted = action === 'charge' || action === 'discharge'
  const { min, max } = energy.target_soc_window
  return (
    <Section title="Command">
      <div className="hearth-stack">
        <fieldset className="action-buttons">
          <VisuallyHidden component="legend">Action</VisuallyHidden>
          {order.map((name) => (
            <ActionButton key={name} action={name} energy={energy} isChosen={action === name} onChoose={setAction} />
          ))}
        </fieldset>
        {isTargeted && (
          <>
            <div className="target-slider">
              <Group justify="space-between">
                <Text fw={600}>Target</Text>
                <output className="target-value">{targets[action]} %</output>
              </Group>
              <Slider
                thumbLabel="Target state of charge"
                min={min}
                max={max}
                label={null}
                size="lg"
                thumbSize={24}
                marks={[min, 25, 50, 75, max].map((value) => ({ value, label: `${value} %` }))}
                value={targets[action]}
                onChange={(value) => setTargets({ ...targets, [action]: value })}
              />
            </div>
            <NumberInput
              label="Power"
              description={
                limit === null
                  ? 'No power limit is set for this inverter'
                  : `Up to ${limit.toLocaleString('en')} W; empty uses the limit of the inverter`
              }
              suffix=" W"
              min={1}
              max={limit ?? 50_000}
              step={100}
              thousandSeparator=","
              value={watts}
              placeholder={limit === null ? '' : `${limit.toLocaleString('en')} W`}
              onChange={setWatts}
            />
          </>
        )}
        {availability?.reason != null && <Text c="var(--hearth-warn)">{unavailable[availability.reason]}.</Text>}
        {unmet.length > 0 && <RequirementList title="Missing requirements" requirements={unmet} />}
        <Group justify="flex-end">
          <Button
            size="md"
            leftSection={<IconPlayerPlay size={18} aria-hidden />}
            disabled={availability?.available !== true || energy.mode !== 'manual'}
            onClick={() => setStarting(true)}
          >
            {actions[action].verb}
          </Button>
        </Group>
      </div>
      {isStarting && (
        <StartDialog
          energy={energy}
          command={{ action, target: isTargeted ? targets[action] : 0, power }}
          onClose={() => setStarting(false)}
        />
      )}
    </Section>
  )
}

function ActionButton(props: {
  action: EnergyAction
  energy: EnergyDevice
  isChosen: boolean
  onChoose: (action: EnergyAction) => void
}) {
  const { action, energy, isChosen, onChoose } = props
  const Icon = icons[action]
  const isAvailable = energy.actions.find((other) => other.action === action)?.available === true
  return (
    <UnstyledButton
      className="action-button"
      aria-pressed={isChosen}
      data-chosen={isChosen || undefined}
      data-unavailable={!isAvailable || undefined}
      onClick={() => onChoose(action)}
    >
      <Icon size={26} stroke={1.6} aria-hidden />
      <b>{actions[action].label}</b>
      <span>{actions[action].explanation}</span>
    </UnstyledButton>
  )
}

/** Sample API request for this inverter. */
export function ProgramCard({ energy }: { energy: EnergyDevice }) {
  const address = `${window.location.origin}/api/v1/devices/${encodeURIComponent(energy.device_id)}/energy/command`
  const sample = [
    `curl -X POST ${address} \\`,
    '  -H "Authorization: Bearer $TOKEN" \\',
    '  -H "Content-Type: application/json" \\',
    `  -d '{"action": "charge", "target_soc_percent": 80}'`,
  ].join('\n')
  return (
    <Section title="API access" actions={<CopyButton text={sample}>Copy</CopyButton>}>
      <div className="hearth-stack">
        <Text className="hearth-dimmed">
          Requires a read/write token, created under{' '}
          <Link href="/tokens" className="hearth-link">
            Tokens
          </Link>
          . Actions: charge, discharge, hold and auto. An action ends after one hour unless another one follows.
        </Text>
        <Code block tabIndex={0} aria-label="Sample command">
          {sample}
        </Code>
      </div>
    </Section>
  )
}
