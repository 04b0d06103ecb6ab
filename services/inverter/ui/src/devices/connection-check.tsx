import { Group, Text } from '@mantine/core'
import { answer } from '@hearth/ui'
import { api, type Schemas } from '../api.ts'
import { ConnectionTest } from '../connection/connection-test.tsx'

/** A button that tests the connection to an inverter at an address, with the result. */
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

const outcomeOf = (result: Schemas['ConnectionResult']) =>
  result.reachable
    ? { works: true, text: `Connected in ${result.took_ms} ms.`, more: <Details result={result} /> }
    : { works: false, text: result.detail }

function Details({ result }: { result: Schemas['ConnectionResult'] }) {
  return (
    <Group gap="md">
      {detailsOf(result).map(([name, value]) => (
        <Text key={name} size="sm">
          <span className="hearth-dimmed">{name}</span> {value.replaceAll('_', ' ')}
        </Text>
      ))}
    </Group>
  )
}

function detailsOf({ serial, firmware, state }: Schemas['ConnectionResult']): [string, string][] {
  const details = Object.entries({ 'Serial number': serial, Firmware: firmware, State: state })
  return details.flatMap(([name, value]) => (value === null ? [] : [[name, value]]))
}
