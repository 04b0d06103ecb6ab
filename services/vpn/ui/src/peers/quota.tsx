import { Button, Group, NativeSelect, NumberInput, Progress, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { answer, FormDialog, RelativeTime, StatusBadge, useAction, useSession } from '@hearth/ui'
import { IconGauge } from '@tabler/icons-react'
import { useState } from 'react'
import { api, keys, type Peer } from '../api.ts'
import { limitInput, noEffect, useSimulated } from './limits.tsx'
import { fromQuotaValues, gigabytes, quotaText, quotaValues } from './quota-values.ts'

type Quota = NonNullable<Peer['quota']>

/** Traffic that a peer may use in a period, and what it used of it. */
export function PeerQuota({ peer }: { peer: Peer }) {
  const { isAdmin } = useSession()
  const [isOpen, setOpen] = useState(false)
  const { quota } = peer
  if (quota === null && !isAdmin) return null
  return (
    <section className="hearth-stack" aria-label="Quota">
      <Group justify="space-between">
        <h3 className="drawer-heading">Quota</h3>
        {isAdmin && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconGauge size={16} aria-hidden />}
            onClick={() => setOpen(true)}
          >
            {quota === null ? 'Set a quota' : 'Change quota'}
          </Button>
        )}
      </Group>
      {quota === null ? (
        <Text c="dimmed">No quota: this peer may use as much traffic as it likes.</Text>
      ) : (
        <QuotaState quota={quota} />
      )}
      {quota !== null && isAdmin && <QuotaButtons peer={peer} />}
      {isOpen && <QuotaDialog peer={peer} onClose={() => setOpen(false)} />}
    </section>
  )
}

const tones = { within: 'accent', near: 'warn', over: 'bad' } as const

function QuotaState({ quota }: { quota: Quota }) {
  const isSimulated = useSimulated()
  const percent = Math.min(100, (quota.used / quota.bytes) * 100)
  return (
    <Stack gap={6}>
      <Progress.Root size="lg">
        <Progress.Section
          value={percent}
          color={`var(--hearth-${tones[quota.state]})`}
          aria-label={`${Math.floor(percent)} % of the quota used`}
        />
      </Progress.Root>
      <Group justify="space-between">
        <Text size="sm">
          {gigabytes(quota.used)} of {gigabytes(quota.bytes)}
          {quota.counts === 'down' && ' to the device'}
        </Text>
        <QuotaBadge quota={quota} />
      </Group>
      <Text size="sm">{quotaText(quota)}</Text>
      <Text size="sm" c="dimmed">
        Counted since <RelativeTime value={quota.since} />.
        {isSimulated && quota.at_limit !== 'notify' && ` ${noEffect}`}
      </Text>
    </Stack>
  )
}

/** Badge of a peer that is near its quota or over it. */
export function QuotaBadge({ quota }: { quota: Peer['quota'] }) {
  if (quota === null || quota.state === 'within') return null
  return (
    <StatusBadge tone={tones[quota.state]} icon={IconGauge}>
      {quota.state === 'over' ? 'Over its quota' : 'Near its quota'}
    </StatusBadge>
  )
}

function QuotaButtons({ peer: { id } }: { peer: Peer }) {
  const params = { path: { id } }
  const reset = useAction({
    run: () => answer(api.POST('/api/peers/{id}/quota/reset', { params })),
    renew: [keys.peers],
  })
  const remove = useAction({
    run: () => answer(api.DELETE('/api/peers/{id}/quota', { params })),
    renew: [keys.peers],
  })
  return (
    <Group gap="xs">
      <Button size="xs" variant="default" loading={reset.isPending} onClick={() => reset.mutate()}>
        Begin anew
      </Button>
      <Button size="xs" variant="default" loading={remove.isPending} onClick={() => remove.mutate()}>
        Remove quota
      </Button>
    </Group>
  )
}

function QuotaDialog({ peer, onClose }: { peer: Peer; onClose: () => void }) {
  const form = useForm({
    initialValues: quotaValues(peer.quota),
    validate: { bytes: (value: number | string) => (value === '' ? 'Enter how much' : null) },
  })
  const { period, at_limit: atLimit } = form.getValues()
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={`Quota of ${peer.name}`}
      submitLabel="Save"
      form={form}
      submit={(values) =>
        answer(api.PUT('/api/peers/{id}/quota', { params: { path: { id: peer.id } }, body: fromQuotaValues(values) }))
      }
      renew={[keys.peers]}
    >
      <NumberInput
        label="Traffic"
        suffix=" GB"
        min={0.001}
        max={1_000_000}
        decimalScale={3}
        data-autofocus
        {...form.getInputProps('bytes')}
      />
      <NativeSelect
        label="Counts"
        data={[
          { value: 'both', label: 'Download and upload together' },
          { value: 'down', label: 'Download only' },
        ]}
        {...form.getInputProps('counts')}
      />
      <NativeSelect
        label="Period"
        data={[
          { value: 'month', label: 'A month' },
          { value: 'rolling', label: 'The last 30 days' },
        ]}
        {...form.getInputProps('period')}
      />
      {period === 'month' && (
        <NumberInput
          label="Month begins on day"
          description="The last day in months that are shorter"
          min={1}
          max={31}
          allowDecimal={false}
          {...form.getInputProps('start_day')}
        />
      )}
      <NativeSelect
        label="When it is used up"
        data={[
          { value: 'notify', label: 'Only notify' },
          { value: 'slow', label: 'Slow the peer down' },
          { value: 'stop', label: 'Stop the peer’s traffic' },
        ]}
        {...form.getInputProps('at_limit')}
      />
      {atLimit === 'slow' && <NumberInput label="Slow down to" {...limitInput} {...form.getInputProps('slow_to')} />}
    </FormDialog>
  )
}
