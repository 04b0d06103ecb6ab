import { NativeSelect, NumberInput, type NumberInputProps, Stack, Text } from '@mantine/core'
import { useForm, type UseFormReturnType } from '@mantine/form'
import { formatCount, FormDialog } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { keys, type Peer, readOverview } from '../api.ts'
import { changePeers, staleAfterPeers } from './bulk-actions.ts'
import type { SelectedPeers } from './bulk-dialogs.tsx'
import type { PeerValues } from './peer-values.ts'

/** Properties of an input for a bandwidth. */
export const limitInput = {
  suffix: ' Mbit/s',
  min: 0.1,
  max: 10_000,
  step: 1,
  decimalScale: 3,
  placeholder: 'No limit',
}

/** Returns true if tunnels are simulated, so that no limit has an effect. */
export function useSimulated(): boolean {
  const overview = useQuery({ queryKey: keys.overview, queryFn: readOverview })
  return overview.data?.system.backend === 'simulated'
}

/** Said where limits have no effect. */
export const noEffect = 'Tunnels are simulated on this host, so limits are kept but have no effect.'

/** Input of a limit. */
const LimitInput = ({ direction, ...input }: { direction: 'Download' | 'Upload' } & NumberInputProps) => (
  <NumberInput label={`${direction} limit`} {...limitInput} {...input} />
)

/** Bandwidth of a peer, in its form. */
export function LimitFields({ form }: { form: UseFormReturnType<PeerValues> }) {
  const isSimulated = useSimulated()
  return (
    <>
      <LimitInput
        direction="Download"
        description={isSimulated ? noEffect : 'Bandwidth to the device; empty means no limit'}
        {...form.getInputProps('limit_down')}
      />
      <LimitInput
        direction="Upload"
        description={isSimulated ? noEffect : 'Bandwidth from the device; empty means no limit'}
        {...form.getInputProps('limit_up')}
      />
    </>
  )
}

/** The bandwidth limits of a peer in a few words. */
export function PeerLimits({ peer }: { peer: Peer }) {
  const isSimulated = useSimulated()
  const { limit_down: down, limit_up: up } = peer
  const text = (limit: number | null) => (limit === null ? 'no limit' : `${limit.toLocaleString('en')} Mbit/s`)
  if (down === null && up === null) return <>No limit</>
  return (
    <>
      {text(down)} down, {text(up)} up
      {isSimulated && (
        <Text size="sm" c="dimmed">
          No effect here: tunnels are simulated.
        </Text>
      )}
    </>
  )
}

/** Limits the bandwidth of the chosen peers, or lifts their limits. */
export function SetLimit({ selected, onClose }: { selected: SelectedPeers; onClose: () => void }) {
  const form = useForm({ initialValues: { directions: 'both', limit_down: '', limit_up: '' } })
  const { directions } = form.getValues()
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={`Bandwidth of ${formatCount(selected.size, 'peer')}`}
      submitLabel="Save"
      form={form}
      submit={(values) => {
        const limit = (value: number | string) => (value === '' ? null : Number(value))
        return changePeers({
          action: 'set_limit',
          ids: [...selected.keys()],
          ...(values.directions === 'up' ? {} : { limit_down: limit(values.limit_down) }),
          ...(values.directions === 'down' ? {} : { limit_up: limit(values.limit_up) }),
        })
      }}
      renew={staleAfterPeers}
    >
      <Stack>
        <NativeSelect
          label="Change"
          data={[
            { value: 'both', label: 'Download and upload limit' },
            { value: 'down', label: 'Download limit only' },
            { value: 'up', label: 'Upload limit only' },
          ]}
          data-autofocus
          {...form.getInputProps('directions')}
        />
        {directions !== 'up' && (
          <LimitInput
            direction="Download"
            description="For each peer; empty means no limit"
            {...form.getInputProps('limit_down')}
          />
        )}
        {directions !== 'down' && (
          <LimitInput
            direction="Upload"
            description="For each peer; empty means no limit"
            {...form.getInputProps('limit_up')}
          />
        )}
      </Stack>
    </FormDialog>
  )
}
