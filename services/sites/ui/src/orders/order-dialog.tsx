import { Button, Modal, NativeSelect, Text, Textarea, TextInput } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { answer, EmptyState, FormDialog, QueryState } from '@hearth/ui'
import { IconWorldCog } from '@tabler/icons-react'
import { Link } from 'wouter'
import { api, keys } from '../api.ts'
import { type DnsProvider, type Order, useDnsProviders } from './read-orders.ts'

interface OrderDialogProps {
  /** The order to change; a new one without it. */
  readonly of?: Order
  readonly onClose: () => void
  readonly onOrdered?: (id: string) => void
}

/** The form of an order; without a DNS provider it says where to set one up. */
export function OrderDialog(props: OrderDialogProps) {
  const providers = useDnsProviders()
  const found = providers.data?.providers
  if (found !== undefined && found.length > 0) return <OrderForm {...props} providers={found} />
  return (
    <Modal opened onClose={props.onClose} title="Order a certificate">
      <QueryState query={providers} lines={3} />
      {found !== undefined && (
        <EmptyState
          icon={IconWorldCog}
          title="Set up a DNS provider first"
          action={
            <Button component={Link} href="/certificates/dns">
              DNS providers
            </Button>
          }
        >
          The authority asks for a TXT record as a proof. The service makes it where your zone is kept.
        </EmptyState>
      )}
    </Modal>
  )
}

const required = isNotEmpty('Required')

const listOf = (text: string): string[] => text.split(/[\s,]+/).filter((part) => part !== '')

function OrderForm({ of, providers, onClose, onOrdered }: OrderDialogProps & { providers: readonly DnsProvider[] }) {
  const form = useForm({
    initialValues: {
      name: of?.name ?? '',
      domains: of?.domains.join('\n') ?? '',
      provider_id: of?.provider_id ?? providers[0]?.id ?? '',
      directory: '',
    },
    validate: { name: required, domains: required },
  })
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={of === undefined ? 'Order a certificate' : `Change ${of.name}`}
      submitLabel={of === undefined ? 'Order' : 'Save and order'}
      form={form}
      submit={(values) => save(of, values)}
      onDone={({ id }) => onOrdered?.(id)}
      renew={[keys.orders]}
    >
      {of === undefined && (
        <TextInput
          label="Name"
          placeholder="House wildcard"
          description="By which sites choose the certificate"
          {...form.getInputProps('name')}
        />
      )}
      <Textarea
        label="Domains"
        placeholder={'example.org\n*.example.org'}
        description="One per line. A wildcard covers one level and not the name itself."
        autosize
        minRows={2}
        maxRows={8}
        spellCheck={false}
        {...form.getInputProps('domains')}
      />
      <NativeSelect
        label="DNS provider"
        description="Holds the zone of the names, or the zone that _acme-challenge leads to"
        data={providers.map(({ id, name, label }) => ({ value: id, label: `${name} (${label})` }))}
        {...form.getInputProps('provider_id')}
      />
      {of === undefined && (
        <TextInput
          label="Other authority"
          placeholder="https://acme.example.org/directory"
          description="Its ACME directory; empty takes that of the settings"
          {...form.getInputProps('directory')}
        />
      )}
      <Text size="sm" c="dimmed">
        By ordering you accept the terms of the authority, and the names become public in its logs.
      </Text>
    </FormDialog>
  )
}

interface OrderValues {
  readonly name: string
  readonly domains: string
  readonly provider_id: string
  readonly directory: string
}

function save(of: Order | undefined, { name, domains: text, provider_id, directory }: OrderValues) {
  const domains = listOf(text)
  if (of === undefined) {
    const body = { name, domains, provider_id, ...(directory !== '' && { directory }) }
    return answer(api.POST('/api/certificate-orders', { body }))
  }
  const params = { path: { id: of.id } }
  return answer(api.PATCH('/api/certificate-orders/{id}', { params, body: { domains, provider_id } }))
}
