import { Button, Text } from '@mantine/core'
import { Fact, QueryState, RelativeTime, StatusBadge } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { type AdminDevice, keys, readEnergy } from '../api.ts'
import { isBusy, modes, states } from '../energy/energy-texts.ts'
import { power, spell } from '../values/quantity.ts'

/** Current state of battery control. */
export function ControlCard({ device }: { device: AdminDevice }) {
  const energy = useQuery({ queryKey: keys.energy, queryFn: readEnergy })
  const own = energy.data?.find(({ device_id }) => device_id === device.device_id)
  if (own === undefined) return <QueryState query={energy} lines={3} />
  const tone = own.state === 'fault' ? 'bad' : isBusy(own) ? 'good' : 'quiet'
  return (
    <div className="control">
      <div className="flag-row">
        <StatusBadge tone={tone}>{states[own.state]}</StatusBadge>
        {own.deviation !== null && <StatusBadge tone="warn">Battery does not follow</StatusBadge>}
      </div>
      {isBusy(own) ? (
        <dl className="hearth-facts">
          <Fact name="Commanded">{spell(power(own.commanded_power_w))}</Fact>
          <Fact name="Measured">
            {own.measured_power_w === null ? '–' : spell(power(own.measured_power_w))}
            {own.measured_direction === 'charge' && ', charging'}
            {own.measured_direction === 'discharge' && ', discharging'}
          </Fact>
          <Fact name="Target">{own.target_soc_percent === null ? '–' : `${own.target_soc_percent} %`}</Fact>
          <Fact name="Ends">
            <RelativeTime value={own.until} absent="–" />
          </Fact>
        </dl>
      ) : (
        <Text className="hearth-dimmed">
          {own.mode === 'off'
            ? modes.off.explanation
            : `Ready for commands. Battery control: ${modes[own.mode].label.toLowerCase()}.`}
        </Text>
      )}
      <Button component={Link} href={`/energy/${encodeURIComponent(device.device_id)}`} variant="default" size="xs">
        Open energy
      </Button>
    </div>
  )
}
