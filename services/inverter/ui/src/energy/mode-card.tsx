import { SegmentedControl, Text } from '@mantine/core'
import { answer, Section, StatusBadge, useAction } from '@hearth/ui'
import { IconCircleCheck, IconCircleDashed } from '@tabler/icons-react'
import { Link } from 'wouter'
import { api, type EnergyDevice, keys } from '../api.ts'
import { isBusy, modes, requirementsOf } from './energy-words.ts'

const choices = (['off', 'manual', 'external'] as const).map((value) => ({ value, label: modes[value].label }))

/** Who may command the battery, and what has to be so before. */
export function ModeCard({ energy }: { energy: EnergyDevice }) {
  const change = useAction<EnergyDevice['mode'], EnergyDevice>({
    run: (mode) =>
      answer(
        api.PUT('/admin/api/energy/devices/{device_id}/mode', {
          params: { path: { device_id: energy.device_id } },
          body: { mode },
        }),
      ),
    done: ({ mode }) => `Commands: ${modes[mode].label.toLowerCase()}`,
    renew: [keys.energy, keys.parameters],
  })
  const missing = requirementsOf(energy).filter(({ isMet }) => !isMet)
  const shown = change.isPending ? change.variables : energy.mode
  return (
    <Section
      title="Who commands the battery"
      actions={energy.mode !== 'off' && <StatusBadge tone="accent">{modes[energy.mode].label}</StatusBadge>}
    >
      <div className="hearth-stack">
        <SegmentedControl
          aria-label="Who commands the battery"
          fullWidth
          data={choices}
          value={shown}
          disabled={change.isPending}
          onChange={(mode) => change.mutate(mode)}
        />
        <Text className="hearth-dimmed">
          {modes[shown].explanation}
          {isBusy(energy) && ' Another mode stops what runs and hands the battery back first.'}
        </Text>
        {missing.length > 0 && <Requirements energy={energy} />}
      </div>
    </Section>
  )
}

function Requirements({ energy }: { energy: EnergyDevice }) {
  return (
    <div className="requirements">
      <Text fw={600}>Before the battery can be commanded</Text>
      <ul className="plain-list">
        {requirementsOf(energy).map(({ isMet, text, href }) => (
          <li key={text} data-met={isMet || undefined}>
            {isMet ? (
              <IconCircleCheck size={18} aria-label="Done:" />
            ) : (
              <IconCircleDashed size={18} aria-label="Open:" />
            )}
            <span>{text}</span>
            {!isMet && (
              <Link href={href} className="hearth-link">
                Go there
              </Link>
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}
