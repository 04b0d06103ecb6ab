import { Alert, Checkbox, NativeSelect, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { answer, FormDialog } from '@hearth/ui'
import { IconAlertTriangle } from '@tabler/icons-react'
import { api, keys, type Schemas } from '../api.ts'
import type { Order } from './read-orders.ts'

type Reason = Schemas['CertificateRevocationRequest']['reason']

const reasons: readonly { value: Reason; label: string }[] = [
  { value: 'key_compromised', label: 'Somebody else may have its key' },
  { value: 'superseded', label: 'Another certificate takes its place' },
  { value: 'no_longer_used', label: 'The names are no longer used' },
]

interface RevokeDialogProps {
  readonly order: Order
  /** Ids of the sites that use the certificate. */
  readonly usedBy: readonly number[]
  readonly onClose: () => void
}

/** Asks why a certificate is revoked, and whether a new one comes first. */
export function RevokeDialog({ order, usedBy, onClose }: RevokeDialogProps) {
  const isWaiting = order.revocation !== null && order.revocation.state !== 'revoked'
  const form = useForm<{ reason: Reason; isNewFirst: boolean }>({
    initialValues: {
      reason: (isWaiting ? order.revocation?.reason : undefined) ?? 'key_compromised',
      isNewFirst: usedBy.length > 0 && !isWaiting,
    },
  })
  const { isNewFirst } = form.getValues()
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={isWaiting ? 'Revoke it now?' : `Revoke the certificate of ${order.name}?`}
      submitLabel={isNewFirst ? 'Order and revoke' : 'Revoke'}
      submitButton={{ color: 'red' }}
      cancelLabel="Keep"
      form={form}
      submit={({ reason, isNewFirst: isFirst }) => {
        const body = { reason, order_new_first: isFirst }
        return answer(api.POST('/api/certificate-orders/{id}/revoke', { params: { path: { id: order.id } }, body }))
      }}
      renew={[keys.orders, keys.certificates]}
    >
      <Text size="sm">
        The authority publishes that the certificate is not valid any more. Browsers learn of it within hours or days.
        This cannot be undone.
      </Text>
      <NativeSelect label="Reason" data={reasons} {...form.getInputProps('reason')} />
      {!isWaiting && (
        <Checkbox
          label="Order a new certificate first"
          description="Sites keep a valid certificate: the old one is revoked once Caddy serves the new one."
          {...form.getInputProps('isNewFirst', { type: 'checkbox' })}
        />
      )}
      {!isNewFirst && <Consequences isWaiting={isWaiting} usedBy={usedBy} />}
    </FormDialog>
  )
}

function Consequences({ isWaiting, usedBy }: { isWaiting: boolean; usedBy: readonly number[] }) {
  const sites = `Site${usedBy.length === 1 ? '' : 's'} ${usedBy.join(', ')}`
  const until = isWaiting ? 'until the new one is served' : 'until you choose another one there, or order again'
  return (
    <Alert color={usedBy.length > 0 ? 'red' : 'yellow'} icon={<IconAlertTriangle aria-hidden />}>
      {usedBy.length > 0 && `${sites}: browsers may refuse the revoked certificate ${until}. `}
      {!isWaiting && 'The certificate is not renewed any more.'}
    </Alert>
  )
}
