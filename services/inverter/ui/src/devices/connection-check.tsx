import { Alert, Button, Group, Text } from '@mantine/core'
import { answer, describeError } from '@hearth/ui'
import { IconCircleCheck, IconCircleX, IconPlugConnected } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import type { components } from '../api.gen.ts'
import { api } from '../api.ts'

type ConnectionTest = components['schemas']['ConnectionTest']

/** A button that asks the inverter at an address who it is, and says what came back. */
export function ConnectionCheck({ address, disabled = false }: { address: () => ConnectionTest; disabled?: boolean }) {
  const check = useMutation({
    mutationFn: () => answer(api.POST('/admin/api/connection-test', { body: address() })),
    networkMode: 'always',
  })
  return (
    <div className="connection-check" aria-live="polite">
      <Button
        variant="default"
        leftSection={<IconPlugConnected size={16} aria-hidden />}
        loading={check.isPending}
        disabled={disabled}
        onClick={() => check.mutate()}
      >
        Test connection
      </Button>
      {check.error !== null && <Outcome isGood={false} text={describeError(check.error)} />}
      {check.data !== undefined && !check.isPending && (
        <Outcome
          isGood={check.data.reachable}
          text={check.data.reachable ? `Connected in ${check.data.took_ms} ms.` : check.data.detail}
        >
          {check.data.reachable && (
            <Group gap="md">
              <Detail name="Serial number" value={check.data.serial} />
              <Detail name="Firmware" value={check.data.firmware} />
              <Detail name="State" value={check.data.state} />
            </Group>
          )}
        </Outcome>
      )}
    </div>
  )
}

function Outcome({ isGood, text, children }: { isGood: boolean; text: string; children?: React.ReactNode }) {
  return (
    <Alert
      color={isGood ? 'green' : 'red'}
      variant="light"
      icon={isGood ? <IconCircleCheck aria-hidden /> : <IconCircleX aria-hidden />}
      className="connection-outcome"
    >
      <Text size="md">{text}</Text>
      {children}
    </Alert>
  )
}

function Detail({ name, value }: { name: string; value: string | null }) {
  if (value === null) return null
  return (
    <Text size="sm">
      <span className="hearth-dimmed">{name}</span> {value.replaceAll('_', ' ')}
    </Text>
  )
}
