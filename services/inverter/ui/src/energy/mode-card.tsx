import { SegmentedControl, Text } from '@mantine/core'
import { answer, Section, StatusBadge, useAction } from '@hearth/ui'
import { api, type EnergyDevice, keys } from '../api.ts'
import { isBusy, modes, requirementsOf } from './energy-texts.ts'
import { RequirementList } from './requirement-list.tsx'

const choices = (['off', 'manual', 'external'] as const).map((value) => ({ value, label: modes[value].label }))

/** The battery control mode and its requirements. */
export function ModeCard({ energy }: { energy: EnergyDevice }) {
  const change = useAction<EnergyDevice['mode'], EnergyDevice>({
    run: (mode) =>
      answer(
        api.PUT('/admin/api/energy/devices/{device_id}/mode', {
          params: { path: { device_id: energy.device_id } },
          body: { mode },
        }),
      ),
    done: ({ mode }) => `Battery control: ${modes[mode].label.toLowerCase()}`,
    renew: [keys.energy, keys.parameters],
  })
  const missing = requirementsOf(energy).filter(({ isMet }) => !isMet)
  const shown = change.isPending ? change.variables : energy.mode
  return (
    <Section
      title="Battery control"
      actions={energy.mode !== 'off' && <StatusBadge tone="accent">{modes[energy.mode].label}</StatusBadge>}
    >
      <div className="hearth-stack">
        <SegmentedControl
          aria-label="Battery control"
          fullWidth
          data={choices}
          value={shown}
          disabled={change.isPending}
          onChange={(mode) => change.mutate(mode)}
        />
        <Text className="hearth-dimmed">
          {modes[shown].explanation}
          {isBusy(energy) && ' Changing the mode stops the running operation first.'}
        </Text>
        {missing.length > 0 && (
          <RequirementList title="Before the battery can be controlled" requirements={requirementsOf(energy)} />
        )}
      </div>
    </Section>
  )
}
