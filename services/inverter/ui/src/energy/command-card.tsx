import { Button, Group, NumberInput, Slider, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { Section } from '@hearth/ui'
import {
  IconBatteryCharging,
  IconBatteryVertical2,
  IconHandStop,
  IconRotate2,
  IconPlayerPlay,
} from '@tabler/icons-react'
import { useState } from 'react'
import type { EnergyAction, EnergyDevice } from '../api.ts'
import { actions, limitFor, unavailable, unmetFor } from './energy-words.ts'
import { RequirementList } from './requirement-list.tsx'
import { StartDialog } from './start-dialog.tsx'

const icons = {
  charge: IconBatteryCharging,
  discharge: IconBatteryVertical2,
  hold: IconHandStop,
  auto: IconRotate2,
} as const

const order = ['charge', 'discharge', 'hold', 'auto'] as const

/** The commands a person can give. */
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
                  ? 'The inverter has no power limit yet'
                  : `At most ${limit.toLocaleString('en')} W, the limit of the inverter; empty takes all of it`
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
        {unmet.length > 0 && <RequirementList title="What is missing" requirements={unmet} />}
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
