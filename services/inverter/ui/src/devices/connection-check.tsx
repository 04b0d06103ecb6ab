import { Group, Text } from '@mantine/core'
import { answer, describeError } from '@hearth/ui'
import { IconCircleCheck, IconCircleX, IconPlugConnected } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { api, type Schemas } from '../api.ts'
import { IconButton, Notice } from '../page-elements.tsx'

/** A button that tests the connection to an inverter at an address, with the result. */
export function ConnectionCheck({
  address,
  disabled = false,
}: {
  address: () => Schemas['ConnectionTest']
  disabled?: boolean
}) {
  const check = useMutation({
    mutationFn: () => answer(api.POST('/admin/api/connection-test', { body: address() })),
    networkMode: 'always',
  })
  const data = check.isPending ? undefined : check.data
  return (
    <div className="connection-check" aria-live="polite">
      <IconButton icon={IconPlugConnected} loading={check.isPending} disabled={disabled} onClick={() => check.mutate()}>
        Test connection
      </IconButton>
      {check.error !== null && <Failure>{describeError(check.error)}</Failure>}
      {data?.reachable === false && <Failure>{data.detail}</Failure>}
      {data?.reachable === true && (
        <Notice
          color="green"
          icon={IconCircleCheck}
          mt={10}
          mb={0}
          more={
            <Group gap="md">
              {detailsOf(data).map(([name, value]) => (
                <Text key={name} size="sm">
                  <span className="hearth-dimmed">{name}</span> {value.replaceAll('_', ' ')}
                </Text>
              ))}
            </Group>
          }
        >
          Connected in {data.took_ms} ms.
        </Notice>
      )}
    </div>
  )
}

function Failure({ children }: { children: string }) {
  return (
    <Notice color="red" icon={IconCircleX} mt={10} mb={0}>
      {children}
    </Notice>
  )
}

function detailsOf({ serial, firmware, state }: Schemas['ConnectionResult']): [string, string][] {
  const details = Object.entries({ 'Serial number': serial, Firmware: firmware, State: state })
  return details.flatMap(([name, value]) => (value === null ? [] : [[name, value]]))
}
